package sealane.jca;

import java.io.IOException;
import java.security.AlgorithmParameters;
import java.security.AlgorithmParametersSpi;
import java.security.Provider;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.InvalidParameterSpecException;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.spec.IvParameterSpec;

/** The nonce of an AEAD. Its encoding is a DER OCTET STRING. */
final class NonceParameters extends AlgorithmParametersSpi {
    private static final int OCTET_STRING = 4;
    private static final String FORMAT = "ASN.1";

    private final Variant variant;
    private byte[] nonce;

    NonceParameters(Variant variant) {
        this.variant = variant;
    }

    byte[] nonce() {
        return nonce;
    }

    /** Returns parameters of a provider, which need not be registered. */
    static AlgorithmParameters of(Provider provider, Variant variant, byte[] nonce) {
        NonceParameters spi = new NonceParameters(variant);
        spi.nonce = nonce.clone();
        AlgorithmParameters parameters = new AlgorithmParameters(spi, provider, variant.aeadName) {};
        try {
            parameters.init(spi.engineGetEncoded());
        } catch (IOException e) {
            throw new java.security.ProviderException(e);
        }
        return parameters;
    }

    @Override
    protected void engineInit(AlgorithmParameterSpec spec) throws InvalidParameterSpecException {
        if (!(spec instanceof IvParameterSpec iv)) {
            throw new InvalidParameterSpecException("The parameters must be an IvParameterSpec");
        }
        byte[] bytes = iv.getIV();
        if (bytes.length != variant.nonceBytes) {
            throw new InvalidParameterSpecException(wrongLength());
        }
        nonce = bytes;
    }

    @Override
    protected void engineInit(byte[] encoded) throws IOException {
        if (encoded.length < 2 || encoded[0] != OCTET_STRING || encoded[1] != encoded.length - 2) {
            throw new IOException("The parameters are not a DER OCTET STRING");
        }
        if (encoded.length != 2 + variant.nonceBytes) {
            throw new IOException(wrongLength());
        }
        nonce = Arrays.copyOfRange(encoded, 2, encoded.length);
    }

    @Override
    protected void engineInit(byte[] encoded, String format) throws IOException {
        checkFormat(format);
        engineInit(encoded);
    }

    @Override
    protected <T extends AlgorithmParameterSpec> T engineGetParameterSpec(Class<T> type)
            throws InvalidParameterSpecException {
        if (!type.isAssignableFrom(IvParameterSpec.class)) {
            throw new InvalidParameterSpecException("The parameters are an IvParameterSpec");
        }
        return type.cast(new IvParameterSpec(nonce));
    }

    @Override
    protected byte[] engineGetEncoded() throws IOException {
        byte[] encoded = new byte[2 + nonce.length];
        encoded[0] = OCTET_STRING;
        encoded[1] = (byte) nonce.length;
        System.arraycopy(nonce, 0, encoded, 2, nonce.length);
        return encoded;
    }

    @Override
    protected byte[] engineGetEncoded(String format) throws IOException {
        checkFormat(format);
        return engineGetEncoded();
    }

    @Override
    protected String engineToString() {
        return System.lineSeparator() + "nonce: " + HexFormat.of().formatHex(nonce);
    }

    private static void checkFormat(String format) throws IOException {
        if (format != null && !format.equalsIgnoreCase(FORMAT)) {
            throw new IOException("The format of parameters is " + FORMAT + ", not " + format);
        }
    }

    private String wrongLength() {
        return "A nonce of " + variant.aeadName + " has " + variant.nonceBytes + " bytes";
    }
}
