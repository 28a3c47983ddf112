package sealane.jca;

import java.nio.ByteBuffer;

/** A position in an array or in a buffer. */
final class Bytes {
    /** Null for a buffer. */
    final byte[] array;

    /** Null for an array. */
    final ByteBuffer buffer;

    /** The index in the array or buffer. */
    final int start;

    Bytes(byte[] array, int start) {
        this.array = array;
        this.buffer = null;
        this.start = start;
    }

    /** The position of a buffer. */
    Bytes(ByteBuffer buffer) {
        this.array = buffer.hasArray() ? buffer.array() : null;
        this.buffer = buffer.hasArray() ? null : buffer;
        this.start = buffer.hasArray() ? buffer.arrayOffset() + buffer.position() : buffer.position();
    }

    /**
     * Returns whether native code can use the bytes: they are in an array, or in a direct buffer
     * that is not a mapped file. If such a file is cut, native code that reads it ends the process,
     * but Java's methods throw an error.
     */
    boolean isForNative() {
        return array != null || buffer.isDirect() && !Native.isMapped(buffer);
    }

    /** Returns whether both are arrays or both are buffers. */
    boolean sameKind(Bytes other) {
        return (array == null) == (other.array == null);
    }

    /** Returns a copy of {@code len} bytes that begin {@code offset} bytes after this position. */
    byte[] copy(int offset, int len) {
        byte[] copy = new byte[len];
        get(offset, copy, 0, len);
        return copy;
    }

    /**
     * Copies {@code len} bytes that begin {@code offset} bytes after this position to an array,
     * from index {@code at} on.
     */
    void get(int offset, byte[] bytes, int at, int len) {
        if (array != null) {
            System.arraycopy(array, start + offset, bytes, at, len);
        } else {
            buffer.get(start + offset, bytes, at, len);
        }
    }

    /** Writes the first {@code len} bytes of an array, {@code offset} bytes after this position. */
    void put(int offset, byte[] bytes, int len) {
        if (array != null) {
            System.arraycopy(bytes, 0, array, start + offset, len);
        } else {
            buffer.put(start + offset, bytes, 0, len);
        }
    }

    /**
     * Returns whether {@code len} bytes of this and {@code otherLen} bytes of {@code other} overlap
     * but do not begin at the same byte.
     */
    boolean overlapsPartly(int len, Bytes other, int otherLen) {
        if (!sameKind(other)) {
            return false;
        }
        long distance;
        if (array != null) {
            if (array != other.array) {
                return false;
            }
            distance = (long) other.start - start;
        } else {
            distance = Native.address(other.buffer) + other.start - (Native.address(buffer) + start);
        }
        return distance > 0 ? distance < len : distance < 0 && -distance < otherLen;
    }
}
