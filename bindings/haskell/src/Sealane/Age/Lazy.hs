{-# LANGUAGE BangPatterns #-}

-- |
-- Description: age files as lazy byte strings
--
-- Age files as lazy byte strings. Files of any length need little memory.
--
-- >>> identity <- generateIdentity X25519
-- >>> let Right recipients = identityRecipient identity >>= recipientsFromText
-- >>> let Right identities = identitiesFromText identity
-- >>> file <- encrypt recipients Armor "attack at dawn"
-- >>> decrypt identities file
-- "attack at dawn"
--
-- Each file has a C thread, which works ahead: it holds at most 256 KiB of input, 256 KiB of
-- output, and a few chunks of 64 KiB between them. It ends, and its memory is wiped, when the
-- result has been used to its end or to an exception, or when a garbage collection finds that it is
-- no longer used.
--
-- A forked process (@System.Posix.forkProcess@) does not have the threads of its parent. There, a
-- file that the parent has begun throws 'Sealane.Error.SealaneError' after the bytes that were
-- computed before.
module Sealane.Age.Lazy
    ( encrypt
    , decrypt
    ) where

import Control.Exception (finally, throwIO)
import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Internal as B (create)
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L (chunk)
import Data.Word (Word32, Word8)
import Foreign.C.Types (CInt (..), CSize (..))
import Foreign.ForeignPtr (ForeignPtr, finalizeForeignPtr, newForeignPtr, withForeignPtr)
import Foreign.Marshal.Alloc (alloca)
import Foreign.Ptr (FunPtr, Ptr, nullPtr)
import Foreign.Storable (peek)
import Sealane.Age.Keys
import Sealane.Error (SealaneError (..))
import Sealane.Foreign (AgeError, Shared, Status, checkAge, masked, withBytes)
import System.IO.Unsafe (unsafeInterleaveIO)

-- | Returns a file with this content. The content is read and encrypted only as far as the result
-- is used.
--
-- Throws 'Sealane.Error.SealaneError' if the recipients cannot be combined, the operating system's
-- generator fails, or there is not enough memory. Exceptions in the content are thrown where the
-- result is used.
encrypt :: Recipients -> Format -> L.ByteString -> IO L.ByteString
encrypt (Recipients !keys) !format =
    start keys (\recipients -> streamEncrypt recipients (formatNumber format))

-- | Returns the content of a file. The beginning is read at once. The rest is read and decrypted
-- only as far as the result is used.
--
-- Throws 'Sealane.Error.SealaneError' if no identity opens the file. __Damage after the beginning
-- of the file throws the same exception where the result is used__, after the last byte before the
-- damaged chunk. Everything before it is authentic, and nothing of the damaged chunk is returned.
-- So the content is complete only if the result was used to its end without an exception.
decrypt :: Identities -> L.ByteString -> IO L.ByteString
decrypt (Identities !keys) = start keys streamDecrypt

-- | The status is SEALANE_NO_MEMORY.
noThread :: SealaneError
noThread =
    SealaneError
        { errorStatus = 19
        , errorText = "no thread can be started for a lazy file, or there is not enough memory for it"
        , errorChunk = Nothing
        }

-- | Starts a file, and returns its result.
start :: ForeignPtr (Shared a) -> (Ptr (Shared a) -> IO (Ptr Stream)) -> L.ByteString -> IO L.ByteString
start keys new input = do
    -- Masked, because an exception between these lines would leak the memory.
    stream <- masked . withForeignPtr keys $ \pointer -> do
        stream <- new pointer
        when (stream == nullPtr) (throwIO noThread)
        newForeignPtr streamFree stream
    rest stream (L.toChunks input)

-- | Returns the remainder of the result for the remainder of the input.
--
-- Exceptions from other threads wait during calls of C functions (@pureCall@ explains why), but not
-- while the input is evaluated.
rest :: ForeignPtr Stream -> [ByteString] -> IO L.ByteString
rest stream input = do
    next <- masked . withForeignPtr stream $ \pointer -> alloca $ \lenPtr -> do
        state <- streamWait pointer lenPtr
        len <- peek lenPtr
        case state of
            -- SEALANE_HS_OUTPUT
            0 -> Output <$> B.create (fromIntegral len) (\to -> streamTake pointer to len)
            -- SEALANE_HS_NEEDS_INPUT
            1 -> pure NeedsInput
            -- SEALANE_HS_DONE. Nothing uses the stream any more, so its memory is wiped now.
            _ -> Done <$ checkAge (streamStatus pointer) `finally` finalizeForeignPtr stream
    case next of
        Output piece -> L.chunk piece <$> unsafeInterleaveIO (rest stream input)
        Done -> pure L.empty
        NeedsInput -> case input of
            [] -> feed B.empty >> rest stream []
            -- For the thread, an empty piece ends the input. Lazy byte strings have no empty
            -- chunks, unless a program has built them from constructors.
            piece : pieces | B.null piece -> rest stream pieces
            piece : pieces -> do
                count <- feed piece
                rest stream (if count < B.length piece then B.drop count piece : pieces else pieces)
  where
    feed :: ByteString -> IO Int
    feed !piece = fmap fromIntegral . masked . withBytes piece $ \from len ->
        withForeignPtr stream $ \pointer -> streamFeed pointer from len

-- | The next thing that the thread of a file produces or needs.
data Next = Output ByteString | NeedsInput | Done

-- | @sealane_hs_stream@
data Stream

foreign import ccall safe "sealane_hs.h sealane_hs_stream_encrypt"
    streamEncrypt :: Ptr (Shared RecipientList) -> Word32 -> IO (Ptr Stream)

foreign import ccall safe "sealane_hs.h sealane_hs_stream_decrypt"
    streamDecrypt :: Ptr (Shared IdentityList) -> IO (Ptr Stream)

foreign import ccall safe "sealane_hs.h sealane_hs_stream_wait"
    streamWait :: Ptr Stream -> Ptr CSize -> IO CInt

foreign import ccall safe "sealane_hs.h sealane_hs_stream_take"
    streamTake :: Ptr Stream -> Ptr Word8 -> CSize -> IO ()

foreign import ccall safe "sealane_hs.h sealane_hs_stream_feed"
    streamFeed :: Ptr Stream -> Ptr Word8 -> CSize -> IO CSize

foreign import ccall unsafe "sealane_hs.h sealane_hs_stream_status"
    streamStatus :: Ptr Stream -> Ptr AgeError -> IO Status

foreign import ccall "sealane_hs.h &sealane_hs_stream_free"
    streamFree :: FunPtr (Ptr Stream -> IO ())
