{-# LANGUAGE OverloadedStrings #-}

-- | Compares our ChaCha20 with the ChaCha20 of raaz and cryptonite, and our ChaCha20-Poly1305 with
-- cryptonite's, in one program: @Bench [--equal | --check]@
--
-- Always checks first that the results of the packages are equal. @--equal@ stops after this check,
-- and @--check@ fails if a target is missed. Without an option, prints the measurements and
-- compares them with no target.
module Main (main) where

import Control.Exception (evaluate)
import Control.Monad (forM, forM_, replicateM_, unless, when)
import qualified Crypto.Cipher.ChaCha as Cryptonite
import qualified Crypto.Cipher.ChaChaPoly1305 as CryptoniteAead
import Crypto.Error (throwCryptoError)
import qualified Data.ByteArray as ByteArray
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.IORef (newIORef, readIORef)
import Data.List (transpose)
import Data.Maybe (fromJust)
import GHC.Clock (getMonotonicTimeNSec)
import Numeric (showFFloat)
import qualified Raaz.Cipher.ChaCha20 as Raaz
import qualified Raaz.Cipher.Internal as Raaz (transform)
import Raaz.Core (unsafeFromByteString)
import qualified Sealane.ChaCha20 as ChaCha20
import qualified Sealane.ChaCha20Poly1305 as Aead
import Sealane.Key (Key, keyFromBytes)
import System.Environment (getArgs)
import System.Exit (die, exitFailure)

keyBytes, nonceBytes :: ByteString
keyBytes = B.pack [1 .. 32]
nonceBytes = B.pack [101 .. 112]

key :: Key
key = fromJust (keyFromBytes keyBytes)

-- | A library, and the work that it does for each message. The key has the library's type already,
-- and the nonce comes as bytes with each message. The results are new byte strings.
data Row = Row
    { name :: String
    , target :: Double
    -- ^ The least ratio of the library's time to ours. 0 means no target.
    , work :: ByteString -> ByteString -> [ByteString]
    -- ^ Takes the nonce and the message. A tag that the library returns separately stays separate,
    -- because appending it to the ciphertext would be another copy.
    }

ciphers, aeads :: [Row]
ciphers =
    [ Row "Sealane" 0 $ \nonce text -> [ChaCha20.xor key (ChaCha20.ChaCha20 nonce) 0 text]
    , Row "raaz" 4 $ \nonce text -> [Raaz.transform Raaz.chacha20 (raazKey, unsafeFromByteString nonce, 0) text]
    , Row "cryptonite" 5 $ \nonce text -> [fst (Cryptonite.combine (Cryptonite.initialize 20 keyBytes nonce) text)]
    ]
  where
    raazKey = unsafeFromByteString keyBytes
aeads =
    [ Row "Sealane" 0 $ \nonce text -> [Aead.seal key (fromJust (Aead.nonceFromBytes nonce)) header text]
    , Row "cryptonite" 0 $ \nonce text ->
        let start = throwCryptoError (CryptoniteAead.nonce12 nonce >>= CryptoniteAead.initialize keyBytes)
            (out, end) = CryptoniteAead.encrypt text (CryptoniteAead.finalizeAAD (CryptoniteAead.appendAAD header start))
         in [out, ByteArray.convert (CryptoniteAead.finalize end)]
    ]
  where
    header = "header" :: ByteString

sizes :: [Int]
sizes = [1024, 4096, 16384, 65536, 262144, 1048576]

rounds :: Int
rounds = 25

message :: Int -> ByteString
message len = B.pack [fromIntegral (i * i) | i <- [1 .. len]]

-- | Compares the results of all rows.
equal :: [Row] -> IO ()
equal rows = forM_ ([0 .. 300] ++ [1000, 16383, 16384, 16385] ++ sizes) $ \len ->
    forM_ rows $ \row -> unless (whole row (message len) == whole (head rows) (message len)) $ do
        putStrLn
            ("FAILED: " ++ name row ++ " and " ++ name (head rows) ++ " differ for a message of " ++ show len ++ " bytes")
        exitFailure
  where
    whole row = B.concat . work row nonceBytes

-- | Returns the least time of each row for one message, in nanoseconds. The rows take turns.
measured :: Int -> [Row] -> IO [Double]
measured len rows = do
    -- Each call reads the inputs from a reference. Otherwise GHC could compute the results, or the
    -- values that a library derives from the nonce, only once.
    reference <- newIORef (nonceBytes, message len)
    let times = max 1 (2000000 `div` len)
        run :: Row -> IO Double
        run row = do
            start <- getMonotonicTimeNSec
            replicateM_ times (readIORef reference >>= mapM_ evaluate . uncurry (work row))
            end <- getMonotonicTimeNSec
            pure (fromIntegral (end - start) / fromIntegral times)
    mapM_ run rows
    map minimum . transpose <$> mapM (const (mapM run rows)) [1 .. rounds]

-- | Prints a table in Markdown. Returns whether all targets are met.
table :: String -> [Row] -> IO Bool
table title rows = do
    let others = tail rows
        line cells = putStrLn ("| " ++ foldr1 (\a b -> a ++ " | " ++ b) cells ++ " |")
    line ((title ++ ", MB/s") : map name rows ++ map (("times " ++) . name) others)
    line ("---" : map (const "---:") (rows ++ others))
    met <- forM sizes $ \len -> do
        times <- measured len rows
        let ratios = map (/ head times) (tail times)
        line ((show len ++ " bytes") : map (\ns -> showFFloat (Just 0) (1000 * fromIntegral len / ns) "") times
                ++ map (\ratio -> showFFloat (Just 1) ratio "") ratios)
        pure (and (zipWith (\row ratio -> ratio >= target row) others ratios))
    putStrLn ""
    pure (and met)

main :: IO ()
main = do
    arguments <- getArgs
    unless (arguments `elem` [[], ["--equal"], ["--check"]]) (die "usage: bench/haskell/run [--equal | --check]")
    mapM_ equal [ciphers, aeads]
    if arguments == ["--equal"]
        then putStrLn "all libraries return the same"
        else do
            met <- (&&) <$> table "ChaCha20" ciphers <*> table "ChaCha20-Poly1305" aeads
            when (arguments == ["--check"] && not met) (putStrLn "FAILED: a target is missed" >> exitFailure)
