package sealane.jca;

/**
 * The two variants of ChaCha20 and of ChaCha20-Poly1305, which differ in the length of the nonce.
 * The ordinal is the variant's number in the native library.
 */
enum Variant {
    /** RFC 8439. */
    IETF("ChaCha20", 12),
    /** draft-irtf-cfrg-xchacha-03. */
    EXTENDED("XChaCha20", 24);

    /** The object identifier of ChaCha20-Poly1305: id-alg-AEADChaCha20Poly1305 of RFC 8103. */
    static final String OID = "1.2.840.113549.1.9.16.3.18";

    /** The length of a key in bytes. */
    static final int KEY_BYTES = 32;

    /** The length of a tag in bytes. */
    static final int TAG_BYTES = 16;

    final String cipherName;
    final String aeadName;
    final int nonceBytes;

    Variant(String cipherName, int nonceBytes) {
        this.cipherName = cipherName;
        this.aeadName = cipherName + "-Poly1305";
        this.nonceBytes = nonceBytes;
    }
}
