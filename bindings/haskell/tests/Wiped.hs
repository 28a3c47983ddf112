-- | Makes keys of one byte, uses them, and drops them: some before a collection, some at the end.
module Main (main) where

import Control.Monad (forM)
import qualified Data.ByteString as B
import Data.Maybe (fromJust)
import Sealane.Key (keyFromBytes)
import qualified Sealane.Poly1305 as Poly1305
import System.Mem (performGC)

main :: IO ()
main = do
    tags <- forM [1 .. 100 :: Int] $ \i ->
        pure $! Poly1305.mac (fromJust (keyFromBytes (B.replicate 32 0xa5))) (B.replicate i 0)
    performGC
    let end = fromJust (keyFromBytes (B.replicate 32 0xa5))
    print (length tags, Poly1305.mac end B.empty `elem` tags)
