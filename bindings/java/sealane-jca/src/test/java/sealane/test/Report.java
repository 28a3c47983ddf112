package sealane.test;

import java.security.Security;
import javax.crypto.Cipher;
import sealane.jca.SealaneProvider;

/**
 * Prints which provider encrypts, and why the library could not be loaded, if so. It has its own
 * package, because the provider's package can belong to a module.
 */
public final class Report {
    private Report() {}

    public static void main(String[] args) throws Exception {
        if (Security.getProvider("Sealane") == null) {
            Security.insertProviderAt(new SealaneProvider(), 1);
        }
        System.out.println("provider: " + Cipher.getInstance("ChaCha20-Poly1305").getProvider().getName());
        System.out.println("problem: " + SealaneProvider.problem().orElse("none"));
        System.out.println("info: " + Security.getProvider("Sealane").getInfo());
        System.out.println("module: " + SealaneProvider.class.getModule());
    }
}
