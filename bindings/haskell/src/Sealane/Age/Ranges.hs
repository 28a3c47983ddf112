{-# LANGUAGE BangPatterns #-}

-- |
-- Description: ranges of age files
--
-- Ranges of the content of an age file in its binary form. Only the chunks that hold these bytes
-- are read, of 64 KiB each, and everything returned is authentic.
--
-- >>> identity <- generateIdentity X25519
-- >>> let Right recipients = identityRecipient identity >>= recipientsFromText
-- >>> let Right identities = identitiesFromText identity
-- >>> file <- encrypt recipients Binary "attack at dawn"
-- >>> let readAt offset len = pure (Data.ByteString.take len (Data.ByteString.drop (fromIntegral offset) file))
-- >>> ranges <- openWith identities (fromIntegral (Data.ByteString.length file)) readAt
-- >>> readRange ranges 10 4
-- "dawn"
module Sealane.Age.Ranges
    ( Ranges
    , openFile
    , openWith
    , contentLength
    , readRange
    ) where

import Control.Exception (SomeException, catch, onException, throwIO)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Internal as B (createUptoN')
import Data.IORef (IORef, atomicModifyIORef', newIORef)
import Data.Int (Int64)
import Data.Word (Word64, Word8)
import Foreign.C.Error (throwErrnoPathIf)
import Foreign.C.Types (CInt (..), CPtrdiff (..), CSize (..))
import Foreign.ForeignPtr (ForeignPtr)
import Foreign.Marshal.Alloc (alloca)
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr (FunPtr, Ptr, freeHaskellFunPtr, nullFunPtr, nullPtr)
import Foreign.Storable (peek, poke)
import Sealane.Age.Files (fileLen, withInput)
import Sealane.Age.Keys
import Sealane.Foreign (AgeError, Shared, Status, masked, newShared, tryAge, withBytes, withShared)

-- | A file whose content is read by ranges. Several threads may use it at once. When it is no
-- longer used, its keys are wiped and its file is closed.
data Ranges = Ranges
    { handle :: ForeignPtr (Shared RangesHandle)
    , fileBytes :: Word64
    -- ^ The length of the file.
    , thrown :: IORef Thrown
    }

-- | The next number, and the numbered exceptions that the reading function has thrown during calls
-- of the library.
data Thrown = Thrown Int64 [(Int64, SomeException)]

-- | Opens a file in the binary form. Reads only its header.
--
-- Throws an 'IOError' if the file cannot be opened, and 'Sealane.Error.SealaneError' if no identity
-- opens it, or it is not in the binary form.
openFile :: Identities -> FilePath -> IO Ranges
openFile !identities path = withInput path $ \file -> do
    ranges <- open identities 0 nullFunPtr (\list -> rangesOpenFd list file) =<< newIORef (Thrown 1 [])
    -- The library has found the length before, so a file that grows is not cut here.
    len <- throwErrnoPathIf (< 0) "fstat" path (fileLen file)
    pure ranges{fileBytes = fromIntegral len}

-- | Opens a file in the binary form through a function that reads it, for example from a server.
-- Reads only its header.
--
-- Throws 'Sealane.Error.SealaneError' if no identity opens the file, or it is not in the binary
-- form. @openWith@, 'contentLength' and 'readRange' also throw what the function throws.
openWith
    :: Identities
    -> Word64
    -- ^ The length of the file in bytes.
    -> (Word64 -> Int -> IO ByteString)
    -- ^ Reads at least one byte and at most this number of bytes, from this position in the file
    -- on. Threads that read ranges at the same time may call it at the same time. A time limit for
    -- a server belongs in this function: 'System.Timeout.timeout' and other exceptions to the
    -- thread that reads a range wait until the function has returned.
    -> IO Ranges
openWith !identities !len readAt = do
    failures <- newIORef (Thrown 1 [])
    -- The reader frees the function.
    masked $ do
        function <- wrapReadAt (callback failures readAt)
        open identities len function (\list -> rangesOpen list function nullPtr len) failures
            `onException` freeHaskellFunPtr function

-- | Opens a file. The function is freed after the reader.
open
    :: Identities
    -> Word64
    -> FunPtr ReadAt
    -> (Ptr IdentityList -> Ptr (Ptr RangesHandle) -> Ptr AgeError -> IO Status)
    -> IORef Thrown
    -> IO Ranges
open (Identities !keys) len function opened failures = masked . alloca $ \pointer -> do
    poke pointer nullPtr
    withShared keys $ \list -> checked failures (opened list pointer)
    reader <- peek pointer >>= \ranges -> newShared (rangesNew ranges function)
    pure Ranges{handle = reader, fileBytes = len, thrown = failures}

-- | Returns the length of the content in bytes. Authenticates the last chunk, because the length of
-- the file alone proves nothing.
--
-- Throws 'Sealane.Error.SealaneError' if the file is damaged or cut short.
contentLength :: Ranges -> IO Word64
contentLength ranges = withShared (handle ranges) $ \reader -> alloca $ \len -> do
    poke len 0
    checked (thrown ranges) (rangesLen reader len)
    peek len

-- | Returns a range of the content. It is shorter than requested only at the end of the content.
-- Reading up to the end also proves that the content ends there.
--
-- Throws 'Sealane.Error.SealaneError' if a chunk in the range is damaged, and then returns nothing
-- of the range. Before a range of more than 1 MiB, the last chunk is read and authenticated, so
-- that memory is allocated only for content that exists. Of a file whose end is damaged, read
-- shorter ranges.
readRange
    :: Ranges
    -> Word64
    -- ^ The first byte.
    -> Int
    -- ^ The number of bytes.
    -> IO ByteString
readRange ranges !offset !wanted = do
    -- A server may report a false length, so only small allocations rely on it.
    !len <- if room <= 1048576 then pure room else do
        total <- contentLength ranges
        pure (fromIntegral (min (fromIntegral room) (max 1 (total - min total offset))))
    (bytes, ()) <- B.createUptoN' len (fill len)
    -- The bytes keep all of the allocation.
    pure $! if B.length bytes < len `div` 2 then B.copy bytes else bytes
  where
    -- Each chunk of the file has 65536 bytes of the content and a tag, so these are more bytes than
    -- the content has. At least one byte is read, which proves that the content ends before it.
    most = fileBytes ranges - 16 * (fileBytes ranges `div` 65552)
    left = max 1 (most - min most offset)
    room = fromIntegral (min left (fromIntegral (max 0 wanted))) :: Int
    fill len to = withShared (handle ranges) $ \reader -> alloca $ \count -> do
        poke count 0
        checked (thrown ranges) (rangesRead reader offset to (fromIntegral len) count)
        number <- peek count
        pure (fromIntegral number, ())

-- | Throws what the reading function has thrown in this call, or else the error of the library.
checked :: IORef Thrown -> (Ptr AgeError -> IO Status) -> IO ()
checked failures body = tryAge body >>= \failed -> case failed of
    Nothing -> pure ()
    Just (failure, result) -> do
        exception <- atomicModifyIORef' failures $ \(Thrown next all') ->
            (Thrown next (filter ((/= negate result) . fst) all'), lookup (negate result) all')
        maybe (throwIO failure) throwIO exception

-- | Calls the reading function for the library. An exception cannot pass through the library, so
-- this returns the negated number of the exception, and 'checked' throws it.
callback :: IORef Thrown -> (Word64 -> Int -> IO ByteString) -> ReadAt
callback failures readAt _ offset to len = copied `catch` remembered
  where
    copied = do
        bytes <- B.take (fromIntegral len) <$> readAt offset (fromIntegral len)
        withBytes bytes $ \from count -> copyBytes to from (fromIntegral count)
        pure (fromIntegral (B.length bytes))
    remembered exception = atomicModifyIORef' failures $ \(Thrown next all') ->
        (Thrown (next + 1) ((next, exception) : all'), fromIntegral (negate next))

-- | @sealane_age_ranges@
data RangesHandle

-- | @sealane_read_at@
type ReadAt = Ptr () -> Word64 -> Ptr Word8 -> CSize -> IO CPtrdiff

foreign import ccall "wrapper"
    wrapReadAt :: ReadAt -> IO (FunPtr ReadAt)

foreign import ccall safe "sealane.h sealane_age_ranges_open"
    rangesOpen
        :: Ptr IdentityList
        -> FunPtr ReadAt
        -> Ptr ()
        -> Word64
        -> Ptr (Ptr RangesHandle)
        -> Ptr AgeError
        -> IO Status

foreign import ccall safe "sealane.h sealane_age_ranges_open_fd"
    rangesOpenFd :: Ptr IdentityList -> CInt -> Ptr (Ptr RangesHandle) -> Ptr AgeError -> IO Status

foreign import ccall safe "sealane.h sealane_age_ranges_len"
    rangesLen :: Ptr RangesHandle -> Ptr Word64 -> Ptr AgeError -> IO Status

foreign import ccall safe "sealane.h sealane_age_ranges_read"
    rangesRead :: Ptr RangesHandle -> Word64 -> Ptr Word8 -> CSize -> Ptr CSize -> Ptr AgeError -> IO Status

foreign import ccall unsafe "sealane_hs.h sealane_hs_ranges_new"
    rangesNew :: Ptr RangesHandle -> FunPtr ReadAt -> IO (Ptr (Shared RangesHandle))
