-- | Creates and uses 200 keys, whose memory @wiped.c@ watches, and abandons 10 files that are
-- encrypted and 10 that are decrypted as lazy byte strings. A garbage collection frees most of the
-- keys, and the end of the program the others.
module Main (main) where

import Control.Concurrent (threadDelay)
import Control.Exception (evaluate)
import Control.Monad (forM, forM_, unless, when)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.Maybe (fromJust)
import Data.Word (Word8)
import Sealane.Age (Format (..), Kind (..))
import qualified Sealane.Age as Age
import qualified Sealane.Age.Lazy as Lazy
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
    threads = length <$> listDirectory "/proc/self/task"
    wait :: Int -> Int -> IO ()
    wait times before = do
        performMajorGC
        now <- threads
        unless (now <= before) $ if times == 0 then error "threads" else threadDelay 100000 >> wait (times - 1) before

main :: IO ()
main = do
    tags <- forM [1 .. 150] $ \i -> pure $! Poly1305.mac (key i) B.empty
    performGC
    more <- forM [151 .. 200] $ \i -> pure $! Poly1305.mac (key i) B.empty
    print (length (tags ++ more))
    abandon
