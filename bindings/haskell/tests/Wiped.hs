-- | Makes and uses 200 keys, whose memory @wiped.c@ watches. A collection finds most of them before
-- the end of the program, which finds the others.
module Main (main) where

import Control.Monad (forM)
import qualified Data.ByteString as B
import Data.Maybe (fromJust)
import Data.Word (Word8)
import Sealane.Key (Key, keyFromBytes)
import qualified Sealane.Poly1305 as Poly1305
import System.Mem (performGC)

key :: Word8 -> Key
key end = fromJust (keyFromBytes (B.snoc (B.replicate 31 0xa5) end))

main :: IO ()
main = do
    tags <- forM [1 .. 150] $ \i -> pure $! Poly1305.mac (key i) B.empty
    performGC
    more <- forM [151 .. 200] $ \i -> pure $! Poly1305.mac (key i) B.empty
    print (length (tags ++ more))
