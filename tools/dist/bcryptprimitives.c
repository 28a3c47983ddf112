// The one function of Windows's bcryptprimitives.dll that Rust's standard library needs. Debian
// 12's Wine does not have this library.
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T bytes) { return RtlGenRandom(data, bytes); }
