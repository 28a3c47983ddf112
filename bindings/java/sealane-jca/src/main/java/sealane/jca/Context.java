package sealane.jca;

import java.lang.ref.Cleaner;
import java.security.ProviderException;

/**
 * A message in pieces, in native memory.
 *
 * <p>It is wiped and freed by {@link #close}, or after it has become unreachable. The methods are
 * synchronized, so that native memory stays intact even if a program wrongly uses a cipher in
 * several threads.
 */
final class Context implements AutoCloseable {
    private static final Cleaner CLEANER = Cleaner.create();

    /**
     * The native memory. It must not refer to the context, which could then never become
     * unreachable.
     */
    private record Memory(long address) implements Runnable {
        @Override
        public void run() {
            Native.free(address);
        }
    }

    private final Memory memory;
    private final Cleaner.Cleanable cleanable;
    private boolean closed;

    /** Begins a message. {@code operation} is one of the operations in {@link Protocol}. */
    Context(int operation, Variant variant, byte[] head, int aadLen) {
        long address = Native.newContext(operation, variant.ordinal(), head, aadLen);
        if (address == 0) {
            throw new OutOfMemoryError("native memory");
        }
        memory = new Memory(address);
        cleanable = CLEANER.register(this, memory);
    }

    private long address() {
        if (closed) {
            throw new ProviderException("The message has ended");
        }
        return memory.address;
    }

    /** Appends associated data. */
    synchronized void associate(Bytes in, int len) {
        for (int done = 0; done < len; ) {
            int piece = Math.min(Protocol.CALL_BYTES, len - done);
            Protocol.check(Native.associate(address(), in.array, in.start + done, piece));
            done += piece;
        }
    }

    /** Authenticates the associated data. */
    synchronized void start() {
        Protocol.check(Native.start(address()));
    }

    /** Encrypts or decrypts the next {@code len} bytes. Both are arrays, or both direct buffers. */
    synchronized void transform(Bytes in, int len, Bytes out) {
        for (int done = 0; done < len; ) {
            int piece = Math.min(Protocol.CALL_BYTES, len - done);
            int from = in.start + done;
            int to = out.start + done;
            Protocol.check(
                    in.array != null
                            ? Native.transform(address(), in.array, from, piece, out.array, to)
                            : Native.transform(address(), in.buffer, from, piece, out.buffer, to));
            done += piece;
        }
    }

    /** Authenticates the next {@code len} bytes. */
    synchronized void authenticate(Bytes in, int len) {
        for (int done = 0; done < len; ) {
            int piece = Math.min(Protocol.CALL_BYTES, len - done);
            int from = in.start + done;
            Protocol.check(
                    in.array != null
                            ? Native.authenticate(address(), in.array, from, piece)
                            : Native.authenticate(address(), in.buffer, from, piece));
            done += piece;
        }
    }

    /** Returns the tag of a message that was encrypted or authenticated. */
    synchronized byte[] tag() {
        byte[] tag = new byte[Variant.TAG_BYTES];
        Protocol.check(Native.tag(address(), tag));
        return tag;
    }

    /**
     * Returns whether the tag of a ciphertext is authentic. If it is, the pieces can be decrypted.
     */
    synchronized boolean verify(byte[] tag) {
        int status = Native.verify(address(), tag);
        if (status == Protocol.NOT_AUTHENTIC) {
            return false;
        }
        Protocol.check(status);
        return true;
    }

    @Override
    public synchronized void close() {
        closed = true;
        cleanable.clean();
    }
}
