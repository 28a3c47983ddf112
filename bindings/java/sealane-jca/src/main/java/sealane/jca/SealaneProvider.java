package sealane.jca;

import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The provider "Sealane" of the Java Cryptography Architecture.
 *
 * <p>It provides the ciphers {@code ChaCha20}, {@code ChaCha20-Poly1305}, {@code XChaCha20} and
 * {@code XChaCha20-Poly1305}, the MAC {@code Poly1305}, the key generators {@code ChaCha20} and
 * {@code XChaCha20}, and the parameters of the two AEADs. They run in a native library. If it
 * cannot be loaded, the provider has no services, so that other providers are used instead, and
 * {@link #problem()} returns the reason.
 */
public final class SealaneProvider extends Provider {
    private static final long serialVersionUID = 1;

    /** The name of the provider. */
    public static final String NAME = "Sealane";

    /** The key format that the ciphers accept: raw bytes. */
    private static final Map<String, String> RAW_KEYS = Map.of("SupportedKeyFormats", "RAW");

    /** Creates the provider. The first call loads the native library. */
    public SealaneProvider() {
        super(NAME, "0.1", "ChaCha20-Poly1305 and its relatives" + problemSuffix());
        if (NativeLibrary.problem() == null) {
            register();
        }
    }

    /**
     * Returns the reason why the native library could not be loaded.
     *
     * @return empty if it was loaded
     */
    public static Optional<String> problem() {
        return Optional.ofNullable(NativeLibrary.problem());
    }

    private static String problemSuffix() {
        String problem = NativeLibrary.problem();
        return problem == null ? "" : " (no services: " + problem + ")";
    }

    private void register() {
        add("Cipher", "ChaCha20", StreamCipher.class, List.of(), p -> new StreamCipher(Variant.IETF));
        add("Cipher", "XChaCha20", StreamCipher.class, List.of(), p -> new StreamCipher(Variant.EXTENDED));
        add(
                "Cipher",
                "ChaCha20-Poly1305",
                AeadCipher.class,
                List.of(Variant.OID, "OID." + Variant.OID, "ChaCha20/Poly1305/NoPadding"),
                p -> new AeadCipher(Variant.IETF, p));
        add(
                "Cipher",
                "XChaCha20-Poly1305",
                AeadCipher.class,
                List.of("XChaCha20/Poly1305/NoPadding"),
                p -> new AeadCipher(Variant.EXTENDED, p));
        add("Mac", "Poly1305", Poly1305Mac.class, List.of(), p -> new Poly1305Mac());
        for (Variant variant : Variant.values()) {
            List<String> oid =
                    variant == Variant.IETF ? List.of(Variant.OID, "OID." + Variant.OID) : List.of();
            add(
                    "AlgorithmParameters",
                    variant.aeadName,
                    NonceParameters.class,
                    oid,
                    p -> new NonceParameters(variant));
            add(
                    "KeyGenerator",
                    variant.cipherName,
                    ChaCha20KeyGenerator.class,
                    List.of(),
                    p -> new ChaCha20KeyGenerator(variant.cipherName));
        }
    }

    private void add(
            String type,
            String algorithm,
            Class<?> implementation,
            List<String> aliases,
            Function<Provider, Object> make) {
        Map<String, String> attributes =
                type.equals("Cipher") || type.equals("Mac") ? RAW_KEYS : Map.of();
        putService(new Factory(this, type, algorithm, implementation, aliases, attributes, make));
    }

    /** A service that creates its objects without reflection. */
    private static final class Factory extends Service {
        private final Function<Provider, Object> make;

        Factory(
                Provider provider,
                String type,
                String algorithm,
                Class<?> implementation,
                List<String> aliases,
                Map<String, String> attributes,
                Function<Provider, Object> make) {
            super(provider, type, algorithm, implementation.getName(), aliases, attributes);
            this.make = make;
        }

        @Override
        public Object newInstance(Object parameter) throws NoSuchAlgorithmException {
            if (parameter != null) {
                throw new NoSuchAlgorithmException(getAlgorithm() + " has no constructor parameter");
            }
            return make.apply(getProvider());
        }
    }
}
