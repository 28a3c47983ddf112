package sealane.jca;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.AlgorithmParameters;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.Security;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.crypto.Cipher;
import javax.crypto.KeyGenerator;
import javax.crypto.NoSuchPaddingException;
import org.junit.jupiter.api.Test;

/** The provider and its services. */
class ProviderTest {
    @Test
    void usesTheExpectedInterface() {
        assertEquals(System.getProperty("sealane.expected"), Native.kind());
        assertTrue(SealaneProvider.problem().isEmpty(), () -> SealaneProvider.problem().get());
    }

    @Test
    void hasTheServices() {
        String services =
                Support.SEALANE.getServices().stream()
                        .map(service -> service.getType() + "." + service.getAlgorithm())
                        .collect(Collectors.toCollection(TreeSet::new))
                        .toString();
        assertEquals(
                "[AlgorithmParameters.ChaCha20-Poly1305, AlgorithmParameters.XChaCha20-Poly1305, "
                        + "Cipher.ChaCha20, Cipher.ChaCha20-Poly1305, Cipher.XChaCha20, Cipher.XChaCha20-Poly1305, "
                        + "KeyGenerator.ChaCha20, KeyGenerator.XChaCha20, Mac.Poly1305]",
                services);
    }

    @Test
    void hasTheNamesOfTheJdk() {
        for (Provider.Service service : Security.getProvider("SunJCE").getServices()) {
            if (service.getAlgorithm().contains("ChaCha20")) {
                assertTrue(
                        Support.SEALANE.getService(service.getType(), service.getAlgorithm()) != null,
                        service::toString);
            }
        }
    }

    @Test
    void hasAliases() throws Exception {
        for (String name :
                new String[] {
                    "1.2.840.113549.1.9.16.3.18",
                    "OID.1.2.840.113549.1.9.16.3.18",
                    "ChaCha20/Poly1305/NoPadding",
                    "chacha20-poly1305",
                    "ChaCha20-Poly1305/None/NoPadding",
                    "XChaCha20/Poly1305/NoPadding"
                }) {
            assertSame(Support.SEALANE, Cipher.getInstance(name, Support.SEALANE).getProvider(), name);
        }
        assertSame(
                Support.SEALANE,
                AlgorithmParameters.getInstance("1.2.840.113549.1.9.16.3.18", Support.SEALANE).getProvider());
        assertSame(Support.SEALANE, KeyGenerator.getInstance("ChaCha20", Support.SEALANE).getProvider());
        assertThrows(
                NoSuchAlgorithmException.class, () -> Cipher.getInstance("ChaCha20/CBC/NoPadding", Support.SEALANE));
        assertThrows(
                NoSuchPaddingException.class, () -> Cipher.getInstance("ChaCha20/None/PKCS5Padding", Support.SEALANE));
    }

    @Test
    void isFoundByItsName() {
        assertTrue(
                ServiceLoader.load(Provider.class).stream()
                        .anyMatch(provider -> provider.type() == SealaneProvider.class));
    }

    @Test
    void refusesConstructorParameters() {
        Provider.Service service = Support.SEALANE.getService("Cipher", "ChaCha20");
        assertThrows(NoSuchAlgorithmException.class, () -> service.newInstance("parameter"));
        assertFalse(service.supportsParameter(new java.security.Key() {
            private static final long serialVersionUID = 1;

            @Override
            public String getAlgorithm() {
                return "ChaCha20";
            }

            @Override
            public String getFormat() {
                return null;
            }

            @Override
            public byte[] getEncoded() {
                return null;
            }
        }));
    }
}
