package sealane.test;

import java.io.IOException;
import sealane.age.AgeKeyPair;

/**
 * Prints a new recipient, or why there is none. It has its own package, because the library's
 * package can belong to a module.
 */
public final class Keygen {
    private Keygen() {}

    public static void main(String[] args) throws IOException {
        try {
            System.out.println(AgeKeyPair.generate(AgeKeyPair.Kind.X25519).recipient());
        } catch (UnsupportedOperationException e) {
            System.out.println(e.getMessage());
        }
    }
}
