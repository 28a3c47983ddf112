{-# LANGUAGE OverloadedStrings #-}

-- | Tests of ranges of age files.
module Ranges
    ( tests
    ) where

import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar)
import Control.Exception (Exception, IOException, throwIO, try)
import Control.Monad (forM, forM_, when)
import Data.Bits (xor)
import qualified Data.ByteString as B
import Data.IORef (atomicModifyIORef', newIORef, readIORef, writeIORef)
import Data.Word (Word64)
import System.Directory (removeFile)
import System.IO.Error (isDoesNotExistError)
import System.Mem (getAllocationCounter, performMajorGC)

import Expect
import Sealane.Age hiding (decrypt)
import Sealane.Age.Ranges
import Sealane.Error (SealaneError (..))

-- | An exception that a reading function throws.
newtype Unreachable = Unreachable Int deriving (Eq, Show)

instance Exception Unreachable

tests :: FilePath -> IO ()
tests folder = do
    text <- generateIdentity X25519
    let recipients = right (identityRecipient text >>= recipientsFromText)
        identities = right (identitiesFromText text)
    forM_ [0, 1, 65536, 300000] $ \len -> do
        let plain = B.pack [fromIntegral (i * i + i `div` 251) | i <- [1 .. len]]
            path = folder ++ "/ranges" ++ show len
        file <- encrypt recipients Binary plain
        B.writeFile path file
        fromFile <- openFile identities path
        -- The opened file stays readable after its name is removed.
        removeFile path
        reads' <- newIORef []
        fromFunction <- openWith identities (size file) $ \offset count -> do
            atomicModifyIORef' reads' (\all' -> ((offset, count) : all', ()))
            pure (slice (fromIntegral offset) count file)
        performMajorGC
        forM_ [fromFile, fromFunction] $ \ranges -> do
            total <- contentLength ranges
            expect "the length" (total == fromIntegral len)
            forM_ [(a, b) | a <- [0, 1, 65535, 65536, 131072, len - 1, len, len + 70000], b <- [-1, 0, 1, 10, 65536, 140000, maxBound], a >= 0] $
                \(offset, count) -> do
                    range <- readRange ranges (fromIntegral offset) count
                    expect ("a range " ++ show (offset, count)) (range == slice offset (max 0 count) plain)
            behind <- readRange ranges maxBound 10
            expect "behind the end" (B.null behind)
        when (len == 300000) $ do
            writeIORef reads' []
            _ <- readRange fromFunction 131072 10
            one <- readIORef reads'
            expect ("one chunk is read " ++ show one) (sum (map snd one) <= 65536 + 16)
            together <- forM [0 .. 7] $ \i -> do
                result <- newEmptyMVar
                _ <- forkIO (readRange fromFunction (fromIntegral (i * 30000)) 40000 >>= putMVar result)
                pure (i, result)
            forM_ together $ \(i, result) -> do
                range <- takeMVar result
                expect "threads" (range == slice (i * 30000) 40000 plain)
            damage recipients identities file plain
    failures folder recipients identities
    memory folder recipients identities

-- | The end of a long file takes little memory.
memory :: FilePath -> Recipients -> Identities -> IO ()
memory folder recipients identities = do
    let path = folder ++ "/ranges-memory"
    file <- encrypt recipients Binary (B.replicate 50000000 7)
    B.writeFile path file
    ranges <- openFile identities path
    forM_ [(49999990, 10), (49999999, 1), (50000000, 0), (60000000, 0), (maxBound, 0)] $ \(offset, len) -> do
        before <- getAllocationCounter
        range <- readRange ranges offset maxBound
        after <- getAllocationCounter
        expect "the end" (range == B.replicate len 7)
        expect ("memory for the end: " ++ show (before - after)) (before - after < 10000)

-- | Ranges that include a damaged chunk fail, and others do not.
damage :: Recipients -> Identities -> B.ByteString -> B.ByteString -> IO ()
damage recipients identities file plain = do
    let place = B.length file - 5 * 16 - 300000 + 2 * (65536 + 16) + 100
        wrong = B.take place file <> B.singleton (B.index file place `xor` 1) <> B.drop (place + 1) file
    ranges <- openWith identities (size wrong) (\offset len -> pure (slice (fromIntegral offset) len wrong))
    before <- readRange ranges 0 131072
    expect "before the damage" (before == B.take 131072 plain)
    after <- readRange ranges 196608 1000000
    expect "behind the damage" (after == B.drop 196608 plain)
    forM_ [(131072, 1), (131071, 2), (196607, 2), (0, 300000)] $ \(offset, len) -> do
        range <- try (readRange ranges offset len)
        expect "the damage" (either (\e -> (errorStatus e, errorChunk e) == (1, Just 2)) (const False) range)
    -- The length of a truncated file cannot be read.
    let short = B.take (B.length file - 30000) file
    cut <- openWith identities (size short) (\offset len -> pure (slice (fromIntegral offset) len short))
    total <- try (contentLength cut)
    expect "cut short" (either ((== 1) . errorStatus) (const False) total)
    -- A length that a server has made up must not decide how much memory is allocated.
    long <- openWith identities (2 ^ (41 :: Int)) (\offset len -> pure (slice (fromIntegral (min offset 10000000)) len file))
    rest <- try (readRange long 0 maxBound)
    expect "a length that is too long" (either ((`elem` [1, 11]) . errorStatus) (const False) rest)
    armored <- encrypt recipients Armor plain
    armor <- try (openWith identities (size armored) (\offset len -> pure (slice (fromIntegral offset) len armored)))
    expect "armor has no ranges" (either ((== 16) . errorStatus) (const False) (() <$ armor))

-- | Reading functions that throw, and files that cannot be opened.
failures :: FilePath -> Recipients -> Identities -> IO ()
failures folder recipients identities = do
    file <- encrypt recipients Binary (B.replicate 300000 7)
    other <- generateIdentity X25519
    strange <- try (openWith (right (identitiesFromText other)) (size file) (\offset len -> pure (slice (fromIntegral offset) len file)))
    expect "another identity" (either ((== 15) . errorStatus) (const False) (() <$ strange))
    at <- try (openWith identities (size file) (\_ _ -> throwIO (Unreachable 1)))
    expect "an exception at once" (either (== Unreachable 1) (const False) (() <$ at))
    isBroken <- newIORef False
    ranges <- openWith identities (size file) $ \offset len -> do
        broken <- readIORef isBroken
        when broken (throwIO (Unreachable (fromIntegral offset)))
        -- Returns more than was requested.
        pure (slice (fromIntegral offset) (len + 5) file)
    writeIORef isBroken True
    results <- forM [0, 65536, 131072, 196608] $ \offset -> do
        result <- newEmptyMVar
        _ <- forkIO (try (readRange ranges offset 10) >>= putMVar result)
        pure (offset, result)
    forM_ results $ \(offset, result) -> do
        range <- takeMVar result
        let expected (Unreachable place) = place >= fromIntegral offset && place < fromIntegral offset + 1000
        expect "each call throws its own exception" (either expected (const False) range)
    writeIORef isBroken False
    later <- readRange ranges 65530 10
    expect "later" (later == B.replicate 10 7)
    empty <- openWith identities (size file) (\offset len -> pure (if offset > 1000 then "" else slice (fromIntegral offset) len file))
    ended <- try (readRange empty 100000 10)
    expect "a function that returns nothing" (either ((`elem` [1, 11]) . errorStatus) (const False) ended)
    missing <- try (openFile identities (folder ++ "/none")) :: IO (Either IOException Ranges)
    expect "a missing file" (either isDoesNotExistError (const False) (() <$ missing))

slice :: Int -> Int -> B.ByteString -> B.ByteString
slice offset len = B.take len . B.drop offset

size :: B.ByteString -> Word64
size = fromIntegral . B.length

right :: Either SealaneError a -> a
right = either (error . show) id
