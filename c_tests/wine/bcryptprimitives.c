/* A stand-in for a DLL of Windows that Wine 8 lacks, for tests only: Rust's standard library takes random bytes
 * from it. */
#include <windows.h>

/* advapi32's RtlGenRandom. */
BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG size);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) {
    while (size > 0) {
        const ULONG part = size < 0x10000 ? (ULONG)size : 0x10000;
        if (!SystemFunction036(data, part)) return FALSE;
        data += part;
        size -= part;
    }
    return TRUE;
}
