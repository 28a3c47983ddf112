package sealane.jca;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;

/**
 * The functions of the native library, called through the Foreign Function and Memory API. The
 * methods are documented in the class of the same name for Java 17 to 21.
 *
 * <p>Calls with arrays are "critical": they block the collector, so none has more than {@link
 * Protocol#CALL_BYTES} bytes.
 */
final class Native {
    /** The file passed to {@link #load}, from which {@link Handles} is initialized. */
    private static volatile Path file;

    private Native() {}

    /** Loads the library. Must be called before the other methods. */
    static void load(Path library) {
        file = library;
        try {
            Handles.initialise();
        } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IllegalStateException(cause.getMessage(), cause);
        }
        try {
            // sealane-age calls its functions through the Java Native Interface.
            System.load(library.toString());
        } catch (UnsatisfiedLinkError e) {
            // Another class loader has loaded the same file. Only sealane-age needs this.
        }
    }

    /** Returns the name of the interface to the library. */
    static String kind() {
        return "FFM";
    }

    /**
     * Handles of the functions. They are constants, so that the JIT compiler can inline the calls.
     */
    private static final class Handles {
        private static final Linker LINKER = Linker.nativeLinker();
        /** The handles keep the library loaded, until the class loader is collected. */
        private static final SymbolLookup LIBRARY = SymbolLookup.libraryLookup(file, Arena.ofAuto());

        static final MethodHandle SEAL =
                critical("seal", JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
        static final MethodHandle OPEN =
                critical("open", JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
        static final MethodHandle XOR =
                critical("xor", JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
        static final MethodHandle MAC = critical("mac", ADDRESS, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);
        static final MethodHandle NEW =
                LINKER.downcallHandle(
                        symbol("context_new"),
                        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT),
                        Linker.Option.critical(true));
        static final MethodHandle ASSOCIATE =
                critical("context_associate", JAVA_LONG, ADDRESS, JAVA_INT, JAVA_INT);
        /** Not critical, because it takes no arrays and may run long. */
        static final MethodHandle START =
                LINKER.downcallHandle(symbol("context_start"), FunctionDescriptor.of(JAVA_INT, JAVA_LONG));

        static final MethodHandle TRANSFORM =
                critical("context_transform", JAVA_LONG, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
        static final MethodHandle AUTHENTICATE =
                critical("context_authenticate", JAVA_LONG, ADDRESS, JAVA_INT, JAVA_INT);
        static final MethodHandle TAG = critical("context_tag", JAVA_LONG, ADDRESS);
        static final MethodHandle VERIFY = critical("context_verify", JAVA_LONG, ADDRESS);
        static final MethodHandle FREE =
                LINKER.downcallHandle(symbol("context_free"), FunctionDescriptor.ofVoid(JAVA_LONG));

        static void initialise() {}

        private static MemorySegment symbol(String name) {
            return LIBRARY.find("sealane_jca_" + name)
                    .orElseThrow(() -> new IllegalStateException("it has no function sealane_jca_" + name));
        }

        private static MethodHandle critical(String name, MemoryLayout... arguments) {
            return LINKER.downcallHandle(
                    symbol(name), FunctionDescriptor.of(JAVA_INT, arguments), Linker.Option.critical(true));
        }
    }

    static int seal(int aead, byte[] head, int aadLen, byte[] in, int inOff, int len, byte[] out, int outOff) {
        Objects.checkFromIndexSize(Protocol.HEAD_BYTES, aadLen, head.length);
        Objects.checkFromIndexSize(inOff, len, in.length);
        Objects.checkFromIndexSize(outOff, len + Variant.TAG_BYTES, out.length);
        try {
            return (int)
                    Handles.SEAL.invokeExact(
                            aead, array(head), aadLen, array(in), inOff, len, array(out), outOff);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int seal(
            int aead, byte[] head, int aadLen, ByteBuffer in, int inOff, int len, ByteBuffer out, int outOff) {
        Objects.checkFromIndexSize(Protocol.HEAD_BYTES, aadLen, head.length);
        MemorySegment from = direct(in, inOff, len);
        MemorySegment to = direct(out, outOff, len + Variant.TAG_BYTES);
        try {
            return (int) Handles.SEAL.invokeExact(aead, array(head), aadLen, from, 0, len, to, 0);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** {@code len} does not count the tag, which follows the ciphertext. */
    static int open(int aead, byte[] head, int aadLen, byte[] in, int inOff, int len, byte[] out, int outOff) {
        Objects.checkFromIndexSize(Protocol.HEAD_BYTES, aadLen, head.length);
        Objects.checkFromIndexSize(inOff, len + Variant.TAG_BYTES, in.length);
        Objects.checkFromIndexSize(outOff, len, out.length);
        try {
            return (int)
                    Handles.OPEN.invokeExact(
                            aead, array(head), aadLen, array(in), inOff, len, array(out), outOff);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int open(
            int aead, byte[] head, int aadLen, ByteBuffer in, int inOff, int len, ByteBuffer out, int outOff) {
        Objects.checkFromIndexSize(Protocol.HEAD_BYTES, aadLen, head.length);
        MemorySegment from = direct(in, inOff, len + Variant.TAG_BYTES);
        MemorySegment to = direct(out, outOff, len);
        try {
            return (int) Handles.OPEN.invokeExact(aead, array(head), aadLen, from, 0, len, to, 0);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** {@code position} is the first byte of the key stream to use. */
    static int xor(int cipher, byte[] head, long position, byte[] in, int inOff, int len, byte[] out, int outOff) {
        Objects.checkFromIndexSize(0, Protocol.HEAD_BYTES, head.length);
        Objects.checkFromIndexSize(inOff, len, in.length);
        Objects.checkFromIndexSize(outOff, len, out.length);
        try {
            return (int)
                    Handles.XOR.invokeExact(
                            cipher, array(head), position, array(in), inOff, len, array(out), outOff);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int xor(
            int cipher, byte[] head, long position, ByteBuffer in, int inOff, int len, ByteBuffer out, int outOff) {
        Objects.checkFromIndexSize(0, Protocol.HEAD_BYTES, head.length);
        MemorySegment from = direct(in, inOff, len);
        MemorySegment to = direct(out, outOff, len);
        try {
            return (int) Handles.XOR.invokeExact(cipher, array(head), position, from, 0, len, to, 0);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int mac(byte[] head, byte[] in, int inOff, int len, byte[] tag) {
        Objects.checkFromIndexSize(0, Protocol.HEAD_BYTES, head.length);
        Objects.checkFromIndexSize(inOff, len, in.length);
        Objects.checkFromIndexSize(0, Variant.TAG_BYTES, tag.length);
        try {
            return (int) Handles.MAC.invokeExact(array(head), array(in), inOff, len, array(tag));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Returns a context, or 0 after an error. */
    static long newContext(int operation, int aead, byte[] head, int aadLen) {
        Objects.checkFromIndexSize(Protocol.HEAD_BYTES, aadLen, head.length);
        try {
            return (long) Handles.NEW.invokeExact(operation, aead, array(head), aadLen);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int associate(long context, byte[] in, int inOff, int len) {
        Objects.checkFromIndexSize(inOff, len, in.length);
        try {
            return (int) Handles.ASSOCIATE.invokeExact(context, array(in), inOff, len);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int start(long context) {
        try {
            return (int) Handles.START.invokeExact(context);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int transform(long context, byte[] in, int inOff, int len, byte[] out, int outOff) {
        Objects.checkFromIndexSize(inOff, len, in.length);
        Objects.checkFromIndexSize(outOff, len, out.length);
        try {
            return (int) Handles.TRANSFORM.invokeExact(context, array(in), inOff, len, array(out), outOff);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int transform(long context, ByteBuffer in, int inOff, int len, ByteBuffer out, int outOff) {
        MemorySegment from = direct(in, inOff, len);
        MemorySegment to = direct(out, outOff, len);
        try {
            return (int) Handles.TRANSFORM.invokeExact(context, from, 0, len, to, 0);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int authenticate(long context, byte[] in, int inOff, int len) {
        Objects.checkFromIndexSize(inOff, len, in.length);
        try {
            return (int) Handles.AUTHENTICATE.invokeExact(context, array(in), inOff, len);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int authenticate(long context, ByteBuffer in, int inOff, int len) {
        MemorySegment from = direct(in, inOff, len);
        try {
            return (int) Handles.AUTHENTICATE.invokeExact(context, from, 0, len);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int tag(long context, byte[] tag) {
        Objects.checkFromIndexSize(0, Variant.TAG_BYTES, tag.length);
        try {
            return (int) Handles.TAG.invokeExact(context, array(tag));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int verify(long context, byte[] tag) {
        Objects.checkFromIndexSize(0, Variant.TAG_BYTES, tag.length);
        try {
            return (int) Handles.VERIFY.invokeExact(context, array(tag));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static void free(long context) {
        try {
            Handles.FREE.invokeExact(context);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Returns the address of the byte at index 0. */
    static long address(ByteBuffer direct) {
        return MemorySegment.ofBuffer(direct).address() - direct.position();
    }

    static boolean isMapped(ByteBuffer direct) {
        return MemorySegment.ofBuffer(direct).isMapped();
    }

    private static MemorySegment array(byte[] array) {
        return MemorySegment.ofArray(array);
    }

    /** Returns a range of a buffer as a segment, which the virtual machine keeps alive in calls. */
    private static MemorySegment direct(ByteBuffer buffer, int offset, int len) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException("the buffer is not direct");
        }
        Objects.checkFromIndexSize(offset, len, buffer.limit());
        return MemorySegment.ofBuffer(buffer).asSlice((long) offset - buffer.position(), len);
    }

    /** Converts an exception of the virtual machine. Native functions themselves throw nothing. */
    private static RuntimeException unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        if (e instanceof RuntimeException exception) {
            return exception;
        }
        return new IllegalStateException(e);
    }
}
