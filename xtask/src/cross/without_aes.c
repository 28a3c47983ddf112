/* Hides AES (bit 3) and PMULL (bit 4) in the kernel's list of CPU features from a program that
   loads this library first. */
unsigned long __getauxval(unsigned long);
unsigned long getauxval(unsigned long type) {
    unsigned long value = __getauxval(type);
    return type == 16 /* AT_HWCAP */ ? value & ~0x18ul : value;
}
