//! Files of every kind: the row that is read, or what is said against the file.

use crate::support::{Scratch, TRAP, piped, printed, run};
use std::io::Write;
use std::time::{Duration, Instant};

/// The logits that the program has read, by id.
fn logits(args: &[&str]) -> Vec<f64> {
    let report = printed(&[args, &["--json", "--show", "1000"]].concat());
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let candidates = report["candidates"].as_array().expect("candidates");
    let mut logits: Vec<(u64, f64)> = candidates
        .iter()
        .map(|candidate| {
            let logit = candidate["logit"].as_f64().unwrap_or(f64::NEG_INFINITY);
            (candidate["id"].as_u64().expect("an id"), logit)
        })
        .collect();
    logits.sort_by_key(|(id, _)| *id);
    logits.into_iter().map(|(_, logit)| logit).collect()
}

/// A NumPy file of the first version.
fn npy(dtype: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let head = format!("{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    [b"\x93NUMPY\x01\x00\x76\x00", format!("{head:<117}\n").as_bytes(), data].concat()
}

fn safetensors(tensors: &[(&str, &str, &str, Vec<u8>)]) -> Vec<u8> {
    let (mut header, mut data) = (Vec::new(), Vec::new());
    for (name, dtype, shape, bytes) in tensors {
        let (begin, end) = (data.len(), data.len() + bytes.len());
        header.push(format!(
            r#""{name}":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{begin},{end}]}}"#
        ));
        data.extend(bytes);
    }
    let header = format!("{{{}}}", header.join(","));
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &data].concat()
}

fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(format!("{name}.npy"), options).expect("a member");
        archive.write_all(bytes).expect("bytes in memory");
    }
    archive.finish().expect("an archive").into_inner()
}

#[test]
fn formats_of_a_row_give_the_same_report() {
    let values = [1.5_f32, -2.0, 0.25, f32::NEG_INFINITY];
    let singles = values.map(f32::to_le_bytes).concat();
    let doubles = values.map(|value| f64::from(value).to_le_bytes()).concat();
    let halves = values.map(|value| half::f16::from_f32(value).to_le_bytes()).concat();
    let brains = values.map(|value| half::bf16::from_f32(value).to_le_bytes()).concat();
    let tensor = |dtype: &'static str, shape, data: &[u8]| {
        safetensors(&[("logits", dtype, shape, data.to_vec())])
    };
    let files: Vec<(&str, Vec<u8>)> = vec![
        ("txt", b"1.5 -2, .25\n-inf".to_vec()),
        ("csv", b"1.5,-2,.25,-inf".to_vec()),
        ("txt", "\u{feff}1.5\r\n-2\r\n.25\r\n-inf\r\n".as_bytes().to_vec()),
        ("f32", singles.clone()),
        ("npy", npy("<f4", "False", "(4,)", &singles)),
        ("npy", npy("<f4", "False", "(1, 4)", &singles)),
        ("npy", npy("<f8", "False", "(4,)", &doubles)),
        ("npy", npy("<f8", "True", "(4, 1)", &doubles)),
        ("npy", npy("<f2", "False", "(1, 1, 4)", &halves)),
        ("NPZ", npz(&[("arr_0", npy("<f8", "False", "(4,)", &doubles))])),
        ("safetensors", tensor("F32", "[4]", &singles)),
        ("safetensors", tensor("F64", "[1,4]", &doubles)),
        ("safetensors", tensor("F16", "[4,1]", &halves)),
        ("safetensors", tensor("BF16", "[1,1,4]", &brains)),
        ("json", b"[1.5, -2, 0.25, -Infinity]".to_vec()),
        ("txt", b"\n [[1.5, -2, 25e-2, \"-Infinity\"]]".to_vec()),
        ("json", b"{\"model\": {\"n\": [1]}, \"logits\": [1.5, -2.0, 0.25, -Infinity]}".to_vec()),
    ];
    let want = [1.5, -2.0, 0.25, f64::NEG_INFINITY];
    for (number, (ending, bytes)) in files.iter().enumerate() {
        let file = Scratch::with(&format!("same{number}.{ending}"), bytes);
        assert_eq!(logits(&[file.path()]), want, "{number} {ending}");
        // By the first bytes alone; raw numbers have none that say it.
        let args: &[&str] = if *ending == "f32" { &["-", "--columns", "4"] } else { &["-"] };
        let output = piped(&[args, &["--json"]].concat(), bytes);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{number} {ending}: {said}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), printed(&[file.path(), "--json"]));
    }
    let output = piped(&["-", "--format", "f32", "--show", "1"], &singles);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("standard input: 4 logits, 0 NaN, 0 +inf, 1 -inf, "), "{text}");
}

#[test]
fn one_row_of_several() {
    let values: Vec<f32> = (0..6).map(|value| value as f32 / 2.0).collect();
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let array = npy("<f4", "False", "(1, 2, 3)", &bytes);
    let other = npy("<f4", "False", "(1,)", &[0; 4]);
    let two = safetensors(&[
        ("other", "F32", "[1]", vec![0; 4]),
        ("steps", "F32", "[2,3]", bytes.clone()),
    ]);
    for (ending, file, args) in [
        ("npy", array.clone(), &[][..]),
        ("npz", npz(&[("steps", array), ("other", other)]), &["--tensor", "steps"]),
        ("safetensors", two, &["--tensor", "steps"]),
        ("f32", bytes.clone(), &["--columns", "3"]),
        ("bin", bytes, &["--columns", "3"]),
        ("json", b"[[0, 0.5, 1], [1.5, 2, 2.5]]".to_vec(), &[]),
        ("json", b"{\"steps\": [[0, 0.5, 1], [1.5, 2, 2.5]]}".to_vec(), &["--tensor", "steps"]),
    ] {
        let file = Scratch::with(&format!("several.{ending}"), &file);
        let args = [&[file.path()], args].concat();
        assert_eq!(logits(&[&args[..], &["--row", "0"]].concat()), [0.0, 0.5, 1.0], "{args:?}");
        assert_eq!(logits(&[&args[..], &["--row", "1"]].concat()), [1.5, 2.0, 2.5], "{args:?}");
        for (more, code, want) in [
            (&[][..], 1, "choose one with --row"),
            (&["--row", "2"], 1, "--row 2: it has 2 rows, the last is --row 1"),
            (&["--row", "-1"], 2, "rows are counted from 0 on"),
        ] {
            let output = run(&[&args[..], more].concat());
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(code), "{args:?} {more:?}: {said}");
            assert!(said.contains(want), "{args:?} {more:?}: {said}");
        }
    }
}

#[test]
fn a_file_that_is_not_what_its_name_says_is_noticed() {
    let data = [1.5_f32, 2.5].map(f32::to_le_bytes).concat();
    let array = npy("<f4", "False", "(2,)", &data);
    for (name, bytes) in [
        ("npz", npz(&[("a", array.clone())])),
        ("npy", array),
        ("safetensors", safetensors(&[("a", "F32", "[2]", data)])),
    ] {
        let file = Scratch::with("renamed.f32", &bytes);
        let output = run(&[file.path()]);
        let said = String::from_utf8_lossy(&output.stderr);
        let want = format!("note: {}: read as .{name}, as its first bytes say\n", file.path());
        assert!(output.status.success() && said == want, "{said}");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(": 2 logits"), "{text}");
        let output = run(&[file.path(), "--columns", "2"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("this is {name}; leave it out")), "{said}");
    }
}

#[test]
fn a_second_array_in_a_file_is_noted() {
    let array = npy("<f4", "False", "(1,)", &1.5_f32.to_le_bytes());
    let file = Scratch::with("twice.npy", &[&array[..], &array].concat());
    let output = run(&[file.path()]);
    let said = String::from_utf8_lossy(&output.stderr);
    let want = "twice.npy: several arrays, one after the other; only the first is read\n";
    assert!(
        output.status.success() && said.starts_with("note: ") && said.ends_with(want),
        "{said}"
    );
}

#[test]
fn what_is_masked_is_counted_in_the_first_line() {
    let file = Scratch::with("masked.txt", b"1 -inf nan -inf 2 nan -inf\n");
    let text = printed(&[file.path()]);
    let line = text.lines().next().expect("a line");
    assert!(line.contains("masked.txt: 7 logits, 2 NaN, 0 +inf, 3 -inf, entropy "), "{line}");
    let file = Scratch::with("certain.txt", b"inf 0\n");
    let text = printed(&[file.path()]);
    assert!(text.contains("certain.txt: 2 logits, 0 NaN, 1 +inf, 0 -inf, "), "{text}");
}

#[test]
fn control_characters_are_not_sent_to_the_terminal() {
    let file = Scratch::with("\u{1b}[31mred\n.txt", b"1 2");
    let missing = Scratch::new("\u{1b}]0;title\u{7}.npy");
    for (args, code, want) in [
        (&[file.path()][..], 0, "\\u{1b}[31mred\\u{a}.txt: 2 logits"),
        (&[missing.path()], 1, "\\u{1b}]0;title\\u{7}.npy: No such file"),
        // clap leaves out what colours and what rings, but not all control characters.
        (&[file.path(), missing.path()], 2, "unexpected argument"),
        (&[TRAP, "--top-k", "1\u{7}\u{9b}m"], 2, "invalid value '1\\u{9b}m'"),
        (&[file.path(), "--tensor", "\u{1b}"], 2, "\\u{1b}[31mred\\u{a}.txt: --tensor: only"),
        (&[TRAP, "--chain", "\u{1b}[0m"], 2, "found '\\u{1b}'"),
    ] {
        let output = run(args);
        let shown = [&output.stdout[..], &output.stderr].concat();
        let text = String::from_utf8(shown).expect("UTF-8");
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
        assert!(text.contains(want), "{text}");
    }
}

/// Neither the length of a file nor what it says about itself takes memory or time.
#[test]
fn too_much_is_refused_at_once() {
    let long = Scratch::new("long.f32");
    let file = std::fs::File::create(&long.0).expect("a file");
    file.set_len(400_000_000).expect("a sparse file");
    let huge = Scratch::with("huge.npy", &npy("<f4", "False", "(100000000,)", &[0; 8]));
    let deep = Scratch::with("deep.json", "[".repeat(1_000_000).as_bytes());
    for (args, code, want) in [
        (
            &[long.path()][..],
            1,
            "100000000 logits in one row: at most 4194304 are read; if these are",
        ),
        (&[long.path(), "--columns", "5000000", "--row", "1"], 1, "5000000 logits in one row"),
        (&[long.path(), "--columns", "1000", "--row", "99999"], 0, ""),
        (&[huge.path()], 1, "100000000 logits in one row"),
        (&[deep.path()], 1, "recursion limit exceeded"),
        #[cfg(unix)]
        (&["/dev/zero"], 1, "/dev/zero: neither text nor a kind"),
        #[cfg(unix)]
        (&["/dev/zero", "--format", "f32"], 1, "more than 4194304 logits in one row"),
        #[cfg(unix)]
        (&["/dev/zero", "--format", "json"], 1, "expected value at line 1 column 1"),
        #[cfg(unix)]
        (&["/dev/zero", "--columns", "3", "--row", "7"], 0, ""),
    ] {
        let since = Instant::now();
        let output = run(args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(want), "{args:?}: {said}");
        assert!(since.elapsed() < Duration::from_secs(10), "{args:?}: {:?}", since.elapsed());
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named_with_the_reason() {
    let file = |name: &str, bytes: &[u8]| Scratch::with(name, bytes);
    let odd = file("odd.f32", &[0; 6]);
    let empty = file("empty.f32", &[]);
    let words = file("words.txt", b"1 2\n3 four");
    let commas = file("commas.txt", b"1,5\n2,25\n3,75\n");
    let comma_line = file("comma_line.txt", b"1,5 2,25\n");
    let pairs = file("pairs.txt", b"0 1.5\n1 2.5\n");
    let comma_pairs = file("pairs.csv", b"0,1.5\n1,2.5\n");
    let double = |value: f64| npy("<f8", "False", "(1,)", &value.to_le_bytes());
    let beyond = file("beyond.npy", &double(1e39));
    let text_beyond = file("beyond.json", b"[1e39]");
    let integers = file("integers.npy", &npy("<i8", "False", "(1,)", &[0; 8]));
    let cut = file("cut.npy", &double(1.0)[..132]);
    let torch = file("model.pt", b"PK\x03\x04");
    let binary = file("model.bin", &[0; 8]);
    let model = file("model.gguf", b"GGUF");
    let null = file("null.json", b"[1, null]");
    let utf16 = file("utf16.txt", b"\xff\xfe1\0");
    let names = file("names.npz", &npz(&[("a", double(1.0)), ("b", double(1.0))]));
    let bad = |file: &str, want: &str| format!("error: {file}: {want}");
    let files: Vec<(&Scratch, &str)> = vec![
        (&odd, "6 bytes are not a whole number of 4-byte floats; a raw file holds"),
        (&empty, "empty: no logits in it"),
        (&words, "line 2: \"four\" is no number; numbers have spaces"),
        (
            &commas,
            "line 1: \"1,5\" can be one number with a decimal comma, or two; write a decimal",
        ),
        (&comma_line, "line 1: \"1,5\" can be one number with a decimal comma, or two; write"),
        (
            &pairs,
            "line 1: every line begins with a whole number, as an id before its logit does; give",
        ),
        (&comma_pairs, "line 1: every line begins with a whole number"),
        (&beyond, "logit 0: 1e39 is beyond the range of float32"),
        (&text_beyond, "logit 0: 1e39 is beyond the range of float32"),
        (&integers, "its dtype is '<i8'; float16, float32 and float64 are read: save it with"),
        (&cut, "too short for its shape (1,): the file was cut off; save it again"),
        (&torch, "a PyTorch file, a kind that is not read; save the logits with numpy.save"),
        (&binary, "the ending .bin says nothing of the kind; if it holds raw"),
        (&model, "a GGUF file, a kind that is not read"),
        (&null, "null is not a number; write NaN or -Infinity, whichever it stands for at line 1"),
        (&utf16, "text in UTF-16; save it as UTF-8"),
        (&names, "it has 2 arrays; choose one with --tensor: \"a\", \"b\""),
    ];
    for (file, want) in files {
        let output = run(&[file.path()]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && output.stdout.is_empty(), "{said}");
        assert!(said.starts_with(&bad(file.path(), want)), "{said}");
    }
    let output = run(&[names.path(), "--tensor", "c"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("it has no \"c\"; choose one of its 2 arrays"), "{said}");
}
