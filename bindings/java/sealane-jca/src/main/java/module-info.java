/** The provider "Sealane" of the Java Cryptography Architecture. */
module sealane.jca {
    exports sealane.jca;

    provides java.security.Provider with
            sealane.jca.SealaneProvider;
}
