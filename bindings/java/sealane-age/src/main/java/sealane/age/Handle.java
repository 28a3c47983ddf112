package sealane.age;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.function.LongConsumer;

/**
 * An object of the native library. It is wiped and freed by {@link #close}, or after garbage
 * collection.
 */
final class Handle implements AutoCloseable {
    private static final Cleaner CLEANER = Cleaner.create();

    /** A function that uses the number of the object. */
    interface Use<T> {
        T with(long number) throws AgeException;
    }

    private final long number;
    private final Cleaner.Cleanable cleanable;
    private int users;
    private boolean closed;

    Handle(long number, LongConsumer free) {
        this.number = number;
        this.cleanable = CLEANER.register(this, () -> free.accept(number));
    }

    /**
     * Uses the object, which is not freed before this returns, even if another thread closes it.
     */
    <T> T use(Use<T> use) throws AgeException {
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("closed");
            }
            users++;
        }
        try {
            return use.with(number);
        } finally {
            release();
            Reference.reachabilityFence(this);
        }
    }

    private synchronized void release() {
        users--;
        if (closed && users == 0) {
            cleanable.clean();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (users == 0) {
            cleanable.clean();
        }
    }
}
