-- | Creates and uses 200 keys, whose memory @wiped.c@ watches, and abandons 10 files that are
-- encrypted and 10 that are decrypted as lazy byte strings. A garbage collection frees most of the
-- keys, and the end of the program the others. Lazy files that are read to their ends, or to an
-- error, are freed without a garbage collection.
module Main (main) where

import Control.Concurrent (threadDelay)
import Control.Exception (evaluate, try)
import Control.Monad (forM, forM_, unless, when)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.Maybe (fromJust)
import Data.Word (Word8)
import Foreign.C.String (CString, withCString)
import Foreign.C.Types (CInt)
import Foreign.Ptr (Ptr, nullPtr)
import Foreign.Storable (peek)
import Sealane.Age (Format (..), Kind (..))
import qualified Sealane.Age as Age
import qualified Sealane.Age.Lazy as Lazy
import Sealane.Error (SealaneError)
import Sealane.Key (Key, keyFromBytes)
import qualified Sealane.Poly1305 as Poly1305
import System.Directory (listDirectory)
import System.Mem (performGC, performMajorGC)

mark :: Word8
mark = 0xa5

key :: Word8 -> Key
key end = fromJust (keyFromBytes (B.snoc (B.replicate 31 mark) end))

-- | Returns after the threads of abandoned files have ended.
abandon :: IO ()
abandon = do
    text <- Age.generateIdentity X25519
    before <- threads
    contents <- forM [1 .. 10 :: Int] $ \_ -> do
        let recipients = right (Age.identityRecipient text >>= Age.recipientsFromText)
        file <- Lazy.encrypt recipients Binary (L.cycle (L.fromStrict (B.replicate 5000 mark)))
        content <- Lazy.decrypt (right (Age.identitiesFromText text)) file
        content <$ evaluate (L.index content 1000000)
    during <- threads
    -- Keeps the contents in use until here.
    forM_ contents $ \content -> evaluate (L.head content)
    when (during < before + 20) (error (show (during - before) ++ " threads of 20 files"))
    wait 600 before
  where
    right = either (error . show) id

threads :: IO Int
threads = length <$> listDirectory "/proc/self/task"

-- | Waits until there are at most this number of threads.
wait :: Int -> Int -> IO ()
wait times most = do
    performMajorGC
    now <- threads
    unless (now <= most) $ if times == 0 then error "threads" else threadDelay 100000 >> wait (times - 1) most

-- | Uses lazy files to their ends, and counts the streams that are freed meanwhile.
finish :: IO ()
finish = do
    text <- Age.generateIdentity X25519
    let recipients = right (Age.identityRecipient text >>= Age.recipientsFromText)
        identities = right (Age.identitiesFromText text)
    start <- threads
    counter <- withCString "wiped_streams" (dlsym nullPtr)
    before <- peek counter
    forM_ [1 .. 5 :: Int] $ \_ -> do
        file <- Lazy.encrypt recipients Binary (L.fromStrict (B.replicate 1000 1))
        len <- evaluate (L.length file)
        content <- Lazy.decrypt identities file
        _ <- evaluate (L.length content)
        failed <- try (Lazy.decrypt identities (L.take (len - 1) file) >>= evaluate . L.length)
        either (\failure -> const (pure ()) (failure :: SealaneError)) (error . show) failed
    after <- peek counter
    when (after - before /= 15) (error (show (after - before) ++ " freed streams of 15"))
    wait 600 start
  where
    right = either (error . show) id

foreign import ccall unsafe "dlsym"
    dlsym :: Ptr () -> CString -> IO (Ptr CInt)

main :: IO ()
main = do
    finish
    tags <- forM [1 .. 150] $ \i -> pure $! Poly1305.mac (key i) B.empty
    performGC
    more <- forM [151 .. 200] $ \i -> pure $! Poly1305.mac (key i) B.empty
    print (length (tags ++ more))
    abandon
