package sealane.jca;

import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidParameterException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.KeyGeneratorSpi;
import javax.crypto.SecretKey;

/** Generates keys of 256 bits, which can be destroyed. */
final class ChaCha20KeyGenerator extends KeyGeneratorSpi {
    private final String algorithm;
    private SecureRandom random;

    ChaCha20KeyGenerator(String algorithm) {
        this.algorithm = algorithm;
    }

    @Override
    protected void engineInit(SecureRandom random) {
        this.random = random;
    }

    @Override
    protected void engineInit(AlgorithmParameterSpec params, SecureRandom random)
            throws InvalidAlgorithmParameterException {
        throw new InvalidAlgorithmParameterException(algorithm + " keys have no parameters");
    }

    @Override
    protected void engineInit(int keySize, SecureRandom random) {
        if (keySize != 8 * Variant.KEY_BYTES) {
            throw new InvalidParameterException("A key of " + algorithm + " has 256 bits");
        }
        this.random = random;
    }

    @Override
    protected SecretKey engineGenerateKey() {
        if (random == null) {
            random = new SecureRandom();
        }
        byte[] bytes = new byte[Variant.KEY_BYTES];
        random.nextBytes(bytes);
        return new Keys.Raw(algorithm, bytes);
    }
}
