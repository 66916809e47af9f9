#!/usr/bin/env python3
"""Prints the bill of materials of the shipped library, in CycloneDX's JSON, out of what cargo knows.

    sbom.py > s2sampler.cdx.json

The same sources and the same compiler give the same bytes: the date is SOURCE_DATE_EPOCH's, or none.
"""

import datetime
import json
import os
import subprocess
import uuid

from cargo_graph import Graph, licence


def reference(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package, **more):
    entry = {
        "type": "library",
        "bom-ref": reference(package),
        "name": package["name"],
        "version": package["version"],
        "description": (package["description"] or "").strip().replace("\n", " "),
        "scope": "required",
        "licenses": [{"expression": licence(package)}],
        "purl": reference(package),
    }
    if package["repository"]:
        entry["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return entry | more


def hashes(graph, package):
    return [{"alg": "SHA-256", "content": graph.checksums[package["name"], package["version"]]}]


def standard_library():
    """It is in every Rust library, and cargo does not list it."""
    verbose = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    version = dict(line.split(": ", 1) for line in verbose.splitlines()[1:])["release"]
    return {
        "type": "library",
        "bom-ref": f"rust-std@{version}",
        "name": "rust-std",
        "version": version,
        "description": "The Rust standard library of the compiler that built the library",
        "scope": "required",
        "licenses": [{"expression": "MIT OR Apache-2.0"}],
    }


def bill(graph):
    own = component(graph.root)
    del own["scope"]
    std = standard_library()
    components = [component(package, hashes=hashes(graph, package)) for package in graph.shipped]
    dependencies = [
        {"ref": reference(package), "dependsOn": sorted(reference(p) for p in graph.needs(package))}
        for package in [graph.root, *graph.shipped]
    ]
    dependencies[0]["dependsOn"].append(std["bom-ref"])
    metadata = {"component": own}
    if epoch := os.environ.get("SOURCE_DATE_EPOCH"):
        when = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
        metadata["timestamp"] = when.strftime("%Y-%m-%dT%H:%M:%SZ")
    body = {
        "metadata": metadata,
        "components": [*components, std],
        "dependencies": [*dependencies, {"ref": std["bom-ref"]}],
    }
    # A name for these contents, as the format wants one: others have another.
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(body, sort_keys=True))
    head = {"bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": f"urn:uuid:{serial}", "version": 1}
    return head | body


if __name__ == "__main__":
    print(json.dumps(bill(Graph()), indent=2, ensure_ascii=False))
