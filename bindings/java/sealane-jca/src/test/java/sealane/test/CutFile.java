package sealane.test;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.ChaCha20ParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import sealane.jca.SealaneProvider;

/**
 * Processes mapped files, and prints the result of each call. The arguments are the file, {@code
 * whole} or {@code cut} for files that are cut after they were mapped, and what to do with them:
 * {@code ciphers} encrypts and decrypts them, {@code others} uses them as associated data and as
 * messages of the MAC.
 */
public final class CutFile {
    private static final SealaneProvider PROVIDER = new SealaneProvider();

    /** One call of the native library, and several. */
    private static final int[] LENGTHS = {32 << 10, 200_000};

    private CutFile() {}

    private interface Call {
        void run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        boolean isCut = args[1].equals("cut");
        for (int len : LENGTHS) {
            if (args[2].equals("ciphers")) {
                for (String name : new String[] {"ChaCha20-Poly1305", "ChaCha20"}) {
                    ciphers(name, len, args[0], isCut);
                }
            } else {
                Mac mac = Mac.getInstance("Poly1305", PROVIDER);
                mac.init(new SecretKeySpec(new byte[32], "Poly1305"));
                ByteBuffer message = map(args[0], len, isCut);
                print("MAC", () -> mac.update(message), mac::doFinal);
                Cipher cipher = cipher("ChaCha20-Poly1305", Cipher.ENCRYPT_MODE);
                ByteBuffer aad = map(args[0], len, isCut);
                print("AAD", () -> cipher.updateAAD(aad), () -> cipher.doFinal(new byte[1]));
            }
        }
    }

    private static void ciphers(String name, int len, String file, boolean isCut) throws Exception {
        for (int mode : new int[] {Cipher.ENCRYPT_MODE, Cipher.DECRYPT_MODE}) {
            boolean encrypts = mode == Cipher.ENCRYPT_MODE;
            String operation = name + (encrypts ? " encrypts" : " decrypts");
            Cipher last = cipher(name, mode);
            ByteBuffer in = map(file, len, isCut);
            Call doFinal = () -> last.doFinal(in, ByteBuffer.allocateDirect(len + 16));
            // A decrypting cipher starts again after a wrong tag.
            print(operation + " a mapped message", doFinal, encrypts ? () -> last.doFinal(new byte[1]) : null);
            Cipher first = cipher(name, mode);
            ByteBuffer piece = map(file, len, isCut);
            print(
                    operation + " a mapped piece",
                    () -> first.update(piece, ByteBuffer.allocateDirect(len)),
                    () -> first.doFinal(new byte[20]));
            if (encrypts) {
                Cipher written = cipher(name, mode);
                ByteBuffer out = map(file, len, isCut);
                print(
                        operation + " to a file",
                        () -> written.update(ByteBuffer.allocateDirect(len), out),
                        () -> written.doFinal(new byte[1]));
            }
        }
    }

    private static Cipher cipher(String name, int mode) throws Exception {
        AlgorithmParameterSpec params = name.equals("ChaCha20")
                ? new ChaCha20ParameterSpec(new byte[12], 1)
                : new IvParameterSpec(new byte[12]);
        Cipher cipher = Cipher.getInstance(name, PROVIDER);
        cipher.init(mode, new SecretKeySpec(new byte[32], name), params);
        return cipher;
    }

    private static ByteBuffer map(String name, int len, boolean isCut) throws Exception {
        try (FileChannel file = FileChannel.open(
                Path.of(name),
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            ByteBuffer mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, len);
            if (isCut) {
                file.truncate(1);
            }
            return mapped;
        }
    }

    /** Prints how a call ends. After an error, the message cannot be continued. */
    private static void print(String what, Call call, Call next) throws Exception {
        String result = "none";
        try {
            call.run();
        } catch (AEADBadTagException e) {
            result = "AEADBadTagException";
        } catch (InternalError e) {
            result = "InternalError";
            try {
                if (next != null) {
                    next.run();
                    result = "a message that lacks a piece";
                }
            } catch (IllegalStateException ended) {
                // As it should be.
            }
        }
        System.out.println("result: " + result + " (" + what + ")");
    }
}
