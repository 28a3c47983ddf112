{-# LANGUAGE OverloadedStrings #-}

-- | Tests of age files as lazy byte strings.
module Streams
    ( tests
    ) where

import Control.Concurrent (forkIO, killThread, threadDelay)
import Control.Exception (ErrorCall (..), evaluate, throw, try)
import Control.Monad (forM, forM_, replicateM)
import Data.Bits (xor)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L (ByteString (Chunk))
import System.Directory (listDirectory)
import System.Exit (ExitCode (..))
import System.Mem (performMajorGC)
import System.Posix.Process (ProcessStatus (..), exitImmediately, forkProcess, getProcessStatus)
import System.Posix.Signals (sigKILL, signalProcess)

import Consume
import Expect
import Sealane.Age (Format (..), Identities, Kind (..), Recipients)
import qualified Sealane.Age as Age
import Sealane.Age.Lazy (decrypt, encrypt)
import Sealane.Error (SealaneError (..))

tests :: IO ()
tests = do
    (recipients, identities) <- keys
    exchange recipients identities
    malformed recipients identities
    damaged recipients identities
    laziness recipients identities
    abandoned recipients identities
    forked recipients identities

keys :: IO (Recipients, Identities)
keys = do
    text <- Age.generateIdentity X25519
    pure (right (Age.identityRecipient text >>= Age.recipientsFromText), right (Age.identitiesFromText text))

right :: Either SealaneError a -> a
right = either (error . show) id

content :: Int -> B.ByteString
content len = B.pack [fromIntegral (i * i + i `div` 251) | i <- [1 .. len]]

-- | Cuts bytes into pieces of this length, except the last.
cut :: Int -> B.ByteString -> L.ByteString
cut len = L.fromChunks . go
  where
    go bytes
        | B.null bytes = []
        | otherwise = let (piece, rest) = B.splitAt len bytes in piece : go rest

-- | The lazy and the strict functions open each other's files.
exchange :: Recipients -> Identities -> IO ()
exchange recipients identities = do
    let lengths = [0, 1, 65535, 65536, 65537, 131072, 600000]
    forM_ [(form, len, piece) | form <- [Binary, Armor], len <- lengths, piece <- [997, 65536, maxBound]] $
        \(form, len, piece) -> do
            let plain = content len
                name = show (form, len, piece)
            file <- encrypt recipients form (cut piece plain)
            expect ("lazy, then strict: " ++ name) (Age.decrypt identities (L.toStrict file) == Right plain)
            strict <- Age.encrypt recipients form plain
            again <- consume (decrypt identities (cut piece strict))
            expect ("strict, then lazy: " ++ name) (again == (plain, Nothing))
    other <- snd <$> keys
    file <- encrypt recipients Binary "attack at dawn"
    (nothing, failed) <- consume (decrypt other file)
    expect "another identity" (B.null nothing && fmap errorStatus failed == Just 15)
    (_, noFile) <- consume (decrypt identities "age")
    expect "no file" (fmap errorStatus noFile == Just 16)

-- | Empty chunks, which no function for lazy byte strings produces, do not end the input.
malformed :: Recipients -> Identities -> IO ()
malformed recipients identities = do
    let plain = content 300000
        withEmpty = foldr (\piece rest -> L.Chunk B.empty (L.Chunk piece (L.Chunk B.empty rest))) L.empty . L.toChunks
    file <- encrypt recipients Binary (withEmpty (cut 70000 plain))
    expect "empty chunks of a content" (Age.decrypt identities (L.toStrict file) == Right plain)
    strict <- Age.encrypt recipients Armor plain
    again <- consume (decrypt identities (withEmpty (cut 5000 strict)))
    expect "empty chunks of a file" (again == (plain, Nothing))

-- | Everything before the damaged chunk is returned, and nothing of the chunk itself.
damaged :: Recipients -> Identities -> IO ()
damaged recipients identities = do
    let plain = content 600000
        chunk = 65536 + 16
    file <- Age.encrypt recipients Binary plain
    let chunks = (B.length plain + 65535) `div` 65536
        start = B.length file - (B.length plain + 16 * chunks)
    forM_ [(number, at) | number <- [0 .. chunks - 1], at <- [0, 1000, 9000]] $ \(number, at) -> do
        let place = start + number * chunk + at
            wrong = B.take place file <> B.singleton (B.index file place `xor` 64) <> B.drop (place + 1) file
        (beginning, failed) <- consume (decrypt identities (cut 5000 wrong))
        expect ("what is before chunk " ++ show number) (beginning == B.take (number * 65536) plain)
        expect "the damage" (fmap errorStatus failed == Just 1)
        expect "its chunk" ((failed >>= errorChunk) == Just (fromIntegral number))
    forM_ [0, 1, 5, chunks - 1] $ \number -> do
        -- A file that was cut between two chunks.
        (beginning, failed) <- consume (decrypt identities (cut 5000 (B.take (start + number * chunk) file)))
        expect "a file that is cut short" (fmap errorStatus failed == Just 1)
        expect "all that is there" (beginning == B.take (number * 65536) plain)

-- | Results are used before the input has ended.
laziness :: Recipients -> Identities -> IO ()
laziness recipients identities = do
    let endless = L.cycle (L.fromStrict (content 1000))
    file <- encrypt recipients Armor endless
    expect "an endless file" (L.length (L.take 5000000 file) == 5000000)
    plain <- decrypt identities file
    expect "its content" (L.take 5000000 plain == L.take 5000000 endless)
    -- Exceptions in the input.
    broken <- encrypt recipients Binary (L.fromStrict (content 300000) <> throw (ErrorCall "input"))
    expect "before the exception" (L.length (L.take 200000 broken) == 200000)
    forM_ [1, 2 :: Int] $ \_ -> do
        failed <- try (evaluate (L.length broken))
        expect "the exception of the input" (either (\(ErrorCall text) -> text == "input") (const False) failed)
    -- A thread is killed while it computes a result that others need.
    forM_ [1 .. 20] $ \i -> do
        sealed <- encrypt recipients Binary (L.take 3000000 endless)
        thread <- forkIO (() <$ evaluate (L.length sealed))
        threadDelay (i * 100)
        killThread thread
        again <- consume (decrypt identities sealed)
        expect "an interrupted file" (again == (L.toStrict (L.take 3000000 endless), Nothing))

-- | Threads end when their results are no longer used.
abandoned :: Recipients -> Identities -> IO ()
abandoned recipients identities = do
    let endless = L.cycle (L.fromStrict (content 1000))
    used <- forM [1 .. 20 :: Int] $ \_ -> do
        file <- encrypt recipients Binary endless
        plain <- decrypt identities file
        evaluate (L.index plain 100000)
    expect "all are used" (length used == 20)
    -- 40 threads must exist, because their results are kept.
    kept <- replicateM 40 (encrypt recipients Binary endless)
    mapM_ (evaluate . L.head) kept
    before <- threads
    expect "threads" (before >= 40)
    expect "they are kept" (all (== 97) (map L.head kept))
    ended <- waitFor 600 ((<= before - 40) <$> threads)
    expect "threads end" ended
  where
    threads = length <$> listDirectory "/proc/self/task"
    waitFor :: Int -> IO Bool -> IO Bool
    waitFor times done = do
        performMajorGC
        ok <- done
        if ok || times == 0 then pure ok else threadDelay 100000 >> waitFor (times - 1) done

-- | A file that is begun before a fork ends with an error in the new process, which can begin
-- others.
forked :: Recipients -> Identities -> IO ()
forked recipients identities = do
    let plain = content 2000000
    strict <- Age.encrypt recipients Binary plain
    file <- encrypt recipients Binary (cut 5000 plain)
    begun <- decrypt identities (cut 5000 strict)
    _ <- evaluate (L.head file)
    _ <- evaluate (L.head begun)
    child <- forkProcess $ do
        (beginning, failed) <- consume (pure begun)
        (_, unwritten) <- consume (pure file)
        (again, none) <- consume (encrypt recipients Binary (cut 5000 plain) >>= decrypt identities)
        let isBeginning = B.isPrefixOf beginning plain && B.length beginning < B.length plain
            failures = map (fmap errorStatus) [failed, unwritten, none]
            isRight = isBeginning && failures == [Just 7, Just 7, Nothing] && again == plain
        performMajorGC
        exitImmediately (if isRight then ExitSuccess else ExitFailure 1)
    status <- waitFor child 600
    expect ("a forked process: " ++ show status) (status == Just (Exited ExitSuccess))
    expect "its parent" (L.toStrict begun == plain && Age.decrypt identities (L.toStrict file) == Right plain)
  where
    waitFor child times = do
        status <- getProcessStatus False False child
        case status of
            Nothing | times > (0 :: Int) -> threadDelay 100000 >> waitFor child (times - 1)
            Nothing -> Nothing <$ signalProcess sigKILL child
            _ -> pure status
