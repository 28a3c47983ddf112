{-# LANGUAGE OverloadedStrings #-}

-- | Tests: @tests CCTV FOLDER VECTORS…@. CCTV is the folder of age's vectors, FOLDER is empty, and
-- the VECTORS are files with lines from Wycheproof: @name key nonce aad message ciphertext tag
-- valid@.
module Main (main) where

import Control.Concurrent (forkIO, forkOn, killThread, newEmptyMVar, putMVar, readMVar, takeMVar, threadDelay)
import Control.Exception (evaluate, try)
import Control.Monad (forM, forM_, replicateM, unless, when)
import Control.Monad.ST (ST, runST, stToIO)
import Data.Bits (xor)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import Data.Char (digitToInt)
import Data.List (sort)
import Data.Maybe (fromJust, isJust, isNothing)
import Data.Word (Word8)
import System.Environment (getArgs)
import System.Exit (exitFailure)
import System.Mem (performGC)
import Test.QuickCheck

import qualified Age
import qualified Arguments
import Expect
import qualified Sealane.Age
import qualified Ranges
import qualified Sealane.ChaCha20 as ChaCha20
import qualified Sealane.ChaCha20Poly1305 as A
import Sealane.Error (SealaneError (..))
import Sealane.Key
import qualified Sealane.Poly1305 as Poly1305
import qualified Sealane.Shamir as Shamir
import qualified Sealane.XChaCha20Poly1305 as X
import qualified Streams
import qualified Threshold

hex :: ByteString -> ByteString
hex text = B.pack (go (C.unpack text))
  where
    go (a : b : rest) = fromIntegral (16 * digitToInt a + digitToInt b) : go rest
    go _ = []

newtype Bytes = Bytes ByteString deriving (Show)

instance Arbitrary Bytes where
    -- Sometimes, the message is long enough for a safe call.
    arbitrary = do
        len <- frequency [(9, chooseInt (0, 700)), (1, chooseInt (16000, 70000))]
        seed <- arbitrary
        pure (Bytes (B.pack [seed + fromIntegral (i * i + i `div` 256) | i <- [1 .. len]]))

fixed :: Int -> Gen ByteString
fixed len = B.pack <$> vector len

genKey :: Gen (ByteString, Key)
genKey = do
    bytes <- fixed 32
    pure (bytes, fromJust (keyFromBytes bytes))

-- | Cuts bytes at random positions.
pieces :: ByteString -> Gen [ByteString]
pieces bytes
    | B.null bytes = pure []
    | otherwise = do
        len <- frequency [(1, chooseInt (0, 70)), (1, chooseInt (0, B.length bytes))]
        let (piece, rest) = B.splitAt len bytes
        (piece :) <$> pieces rest

flipBit :: Int -> ByteString -> ByteString
flipBit n bytes = B.concat [before, B.singleton (B.head rest `xor` (2 ^ (n `mod` 8))), B.tail rest]
  where
    (before, rest) = B.splitAt ((n `div` 8) `mod` B.length bytes) bytes

failure :: Either SealaneError a -> Maybe Int
failure = either (Just . errorStatus) (const Nothing)

-- | The functions that both modules have.
data Aead = Aead
    { nonceLen :: Int
    , seal' :: Key -> ByteString -> ByteString -> ByteString -> ByteString
    , open' :: Key -> ByteString -> ByteString -> ByteString -> Maybe ByteString
    , sealPieces :: Key -> ByteString -> ByteString -> [ByteString] -> ByteString
    , openPieces :: Key -> ByteString -> ByteString -> [ByteString] -> [ByteString] -> ByteString -> Maybe ByteString
    }

ietf, extended :: Aead
ietf = withNonces 12 A.nonceFromBytes
extended = withNonces 24 X.nonceFromBytes

withNonces :: A.Aead aead => Int -> (ByteString -> Maybe (A.AeadNonce aead)) -> Aead
withNonces len fromBytes = Aead len (\k n -> A.seal k (nonce n)) (\k n -> A.open k (nonce n)) sealing opening
  where
    nonce = fromJust . fromBytes
    sealing key n aad parts = runST $ do
        sealer <- A.newSealer key (nonce n) aad
        out <- mapM (A.sealPiece sealer) parts
        tag <- A.finishSealer sealer
        pure (B.concat out <> tag)
    opening key n aad first second tag = runST $ do
        opener <- A.newOpener key (nonce n) aad
        mapM_ (A.authenticatePiece opener) first
        ok <- A.verifyTag opener tag
        if ok then Just . B.concat <$> mapM (A.decryptPiece opener) second else pure Nothing

propAead :: Aead -> Property
propAead aead = property $ do
    (_, key) <- genKey
    nonce <- fixed (nonceLen aead)
    Bytes aad <- arbitrary
    Bytes text <- arbitrary
    bit <- chooseInt (0, maxBound)
    let sealed = seal' aead key nonce aad text
        (ciphertext, tag) = B.splitAt (B.length text) sealed
    parts <- pieces text
    first <- pieces ciphertext
    second <- pieces ciphertext
    pure . conjoin $
        [ B.length sealed === B.length text + 16
        , open' aead key nonce aad sealed === Just text
        , sealPieces aead key nonce aad parts === sealed
        , openPieces aead key nonce aad first second tag === Just text
        , open' aead key nonce aad (flipBit bit sealed) === Nothing
        , open' aead key (flipBit bit nonce) aad sealed === Nothing
        , open' aead key nonce (B.snoc aad 0) sealed === Nothing
        , openPieces aead key nonce aad first second (flipBit bit tag) === Nothing
        , openPieces aead key nonce aad first second (B.init tag) === Nothing
        , conjoin [open' aead key nonce aad (B.take len sealed) === Nothing | len <- [0, 15, B.length text + 15]]
        ]

-- | The AEAD equals its construction from the cipher and the MAC (RFC 8439, section 2.8).
propParts :: Property
propParts = property $ do
    (_, key) <- genKey
    nonce <- fixed 12
    Bytes aad <- arbitrary
    Bytes text <- arbitrary
    let cipher = ChaCha20.ChaCha20 nonce
        oneTime = fromJust (keyFromBytes (ChaCha20.keyStream key cipher 0 32))
        ciphertext = ChaCha20.xor key cipher 1 text
        pad bytes = bytes <> B.replicate (negate (B.length bytes) `mod` 16) 0
        number n = B.pack [fromIntegral (n `div` (256 ^ i)) | i <- [0 .. 7 :: Int]]
        tag = Poly1305.mac oneTime (B.concat [pad aad, pad ciphertext, number (B.length aad), number (B.length text)])
    pure (seal' ietf key nonce aad text === ciphertext <> Poly1305.tagToBytes tag)

propStream :: Property
propStream = property $ do
    (_, key) <- genKey
    nonce <- fixed 24
    Bytes text <- arbitrary
    block <- chooseInt (0, 5)
    let ciphers = [ChaCha20.ChaCha20 (B.take 12 nonce), ChaCha20.XChaCha20 nonce, ChaCha20.Original (B.take 8 nonce)]
        twice cipher = ChaCha20.xor key cipher 7 (ChaCha20.xor key cipher 7 text)
        later cipher = ChaCha20.keyStream key cipher (fromIntegral block) 300
        whole cipher = B.drop (64 * block) (ChaCha20.keyStream key cipher 0 (64 * block + 300))
    pure . conjoin $ [twice cipher === text | cipher <- ciphers] ++ [later cipher === whole cipher | cipher <- ciphers]

propShamir :: Property
propShamir = property $ do
    Bytes secret <- arbitrary
    threshold <- chooseInt (1, 6)
    more <- chooseInt (0, 4)
    points <- take (threshold + more) <$> shuffle [1 .. 255 :: Word8]
    pure . ioProperty $ do
        shares <- Shamir.split threshold points secret
        some <- generate (take threshold <$> shuffle shares)
        pure . conjoin $
            [ Shamir.combine some === Just secret
            , Shamir.combine shares === Just secret
            , conjoin [Shamir.shareAt (Shamir.sharePoint share) some === Just share | share <- shares]
            , Shamir.combine (take 1 some ++ some) === Nothing
            , map (B.length . Shamir.shareBytes) shares === map (const (B.length secret)) points
            ]

-- | Wrong arguments and wrong orders of calls.
errors :: IO ()
errors = do
    key <- generateKey
    other <- generateKey
    nonce <- X.generateNonce
    another <- X.generateNonce
    expect "random nonces differ" (nonce /= another)
    expect "random keys differ" (X.seal key nonce "" "" /= X.seal other nonce "" "")
    expect "a key is not shown" (show key == "Key")
    expect "a share is not shown" . (== "Share {sharePoint = 1, ..}") . show $ Shamir.Share 1 "secret"
    let share = Shamir.Share 1 "secret"
        others = [Shamir.Share 2 "secret", Shamir.Share 1 "Secret", Shamir.Share 1 "secreT", Shamir.Share 1 "secre"]
    expect "shares are compared" (share == Shamir.Share 1 "secret" && share `notElem` others)
    expect "lengths of keys" (all (isNothing . keyFromBytes . flip B.replicate 0) [0, 31, 33])
    expect "lengths of nonces" (all (isNothing . A.nonceFromBytes . flip B.replicate 0) [0, 8, 24])
    expect "lengths of tags" (isNothing (Poly1305.tagFromBytes "short"))
    expect "tags" (Poly1305.mac key "a" == Poly1305.mac key "a" && Poly1305.mac key "a" /= Poly1305.mac key "b")
    forM_ [1, 16384, 16385] $ \len -> do
        let text = B.replicate len 7
        expect "a tag" (Poly1305.verify key text (Poly1305.mac key text))
        expect "a tag of another message" (not (Poly1305.verify key (B.snoc text 0) (Poly1305.mac key text)))
        expect "a tag of another key" (not (Poly1305.verify other text (Poly1305.mac key text)))
    forM_ [B.replicate 11 0, ""] $ \short -> do
        result <- try (evaluate (ChaCha20.xor key (ChaCha20.ChaCha20 short) 0 "x"))
        expect "a nonce of a wrong length" (failure result == Just 3)
    result <- try (evaluate (ChaCha20.keyStream key (ChaCha20.ChaCha20 (B.replicate 12 0)) (2 ^ (32 :: Int) - 1) 65))
    expect "the end of the key stream" (failure result == Just 4)
    sealer <- stToIO (X.newSealer key nonce "")
    _ <- stToIO (X.finishSealer sealer)
    ended <- try (stToIO (X.finishSealer sealer))
    expect "a message ends once" (failure ended == Just 7)
    late <- try (stToIO (X.sealPiece sealer "x"))
    expect "a piece behind the end" (failure late == Just 7)
    opener <- stToIO (X.newOpener key nonce "")
    early <- try (stToIO (X.decryptPiece opener ""))
    expect "decryption before verification" (failure early == Just 7)
    short <- stToIO (X.verifyTag opener "short")
    expect "a tag of a wrong length" (not short)
    wrong <- stToIO (X.verifyTag opener (B.replicate 16 0))
    expect "a wrong tag" (not wrong)
    abandoned <- try (stToIO (X.decryptPiece opener ""))
    expect "decryption of an abandoned message" (failure abandoned == Just 7)
    twice <- try (stToIO (X.verifyTag opener (B.replicate 16 0)))
    expect "a second tag" (failure twice == Just 7)
    whole <- stToIO (X.newOpener key nonce "")
    let message = X.seal key nonce "" "message"
    stToIO (X.authenticatePiece whole (B.take 7 message))
    right <- stToIO (X.verifyTag whole (B.drop 7 message))
    expect "a right tag" right
    more <- try (stToIO (X.authenticatePiece whole "x"))
    expect "a piece behind the tag" (failure more == Just 7)
    beyond <- try (stToIO (X.decryptPiece whole (B.replicate 8 0)))
    expect "decryption behind the end" (failure beyond == Just 1)
    forM_ [(0, [1, 2]), (3, [1, 2]), (-1, [1]), (1, [0]), (2, [1, 1])] $ \(threshold, points) -> do
        split <- try (Shamir.split threshold points "secret")
        expect ("shares " ++ show (threshold, points)) (failure split == Just 10)
    expect "no shares" (isNothing (Shamir.combine []))
    expect "lengths of shares" (isNothing (Shamir.combine [Shamir.Share 1 "a", Shamir.Share 2 "bc"]))
    expect "point 0" (isNothing (Shamir.shareAt 0 [Shamir.Share 1 "a"]))

-- | Many keys and messages on several threads, while the garbage collector runs.
collector :: IO ()
collector = do
    results <- onThreads . flip map [1 .. 4 :: Int] $ \thread ->
        fmap and . forM [1 .. 300] $ \i -> do
            key <- generateKey
            nonce <- X.generateNonce
            let text = B.replicate (i * 97 `mod` 40000) (fromIntegral thread)
            when (i `mod` 50 == 0) performGC
            stream <- stToIO (streamed key nonce text)
            pure (X.open key nonce "" (X.seal key nonce "" text) == Just text && stream == X.seal key nonce "" text)
    expect "threads" (and results)
  where
    streamed :: Key -> X.Nonce -> ByteString -> ST s ByteString
    streamed key nonce text = do
        sealer <- X.newSealer key nonce ""
        let (a, b) = B.splitAt 100 text
        x <- X.sealPiece sealer a
        y <- X.sealPiece sealer b
        tag <- X.finishSealer sealer
        pure (B.concat [x, y, tag])

-- | Several threads use one sealer, or evaluate one message that another thread did not finish.
sharing :: IO ()
sharing = do
    key <- generateKey
    nonce <- X.generateNonce
    let text = B.replicate (400 * pieceLen) 0
        sealed = X.seal key nonce "" text
        blocks bytes = if B.null bytes then [] else let (a, b) = B.splitAt pieceLen bytes in a : blocks b
    sealer <- stToIO (X.newSealer key nonce "")
    parts <- onThreads . replicate 4 . replicateM 100 . stToIO . X.sealPiece sealer $ B.replicate pieceLen 0
    tag <- stToIO (X.finishSealer sealer)
    expect "each piece is sealed once" (sort (concat parts) == sort (blocks (B.take (B.length text) sealed)))
    expect "the tag after that" (tag == B.drop (B.length text) sealed)
    forM_ [1 .. 30 :: Int] $ \i -> do
        let message = runST $ do
                one <- X.newSealer key nonce ""
                out <- mapM (X.sealPiece one) (blocks text)
                end <- X.finishSealer one
                pure (B.concat (out ++ [end]))
        thread <- forkIO (() <$ evaluate message)
        threadDelay (i * 100)
        killThread thread
        results <- onThreads (replicate 4 (evaluate message))
        expect "an interrupted message" (all (== sealed) results)
    forM_ [1 .. 100] $ \i -> do
        -- A while before the first call, so that several threads are at work when one makes it.
        let start = B.singleton (B.foldl' (+) i text)
            message = runST $ do
                one <- X.newSealer key nonce (B.singleton (B.foldl' (+) i text))
                out <- mapM (X.sealPiece one) (blocks (B.take (10 * pieceLen) text))
                end <- X.finishSealer one
                pure (B.concat (out ++ [end]))
        results <- onThreads (replicate 4 (evaluate message))
        expect "a message that threads start together" $
            all (== X.seal key nonce start (B.take (10 * pieceLen) text)) results
    interrupted "sealing" (X.seal key nonce "" . B.replicate 3000000)
    interrupted "opening" (\byte -> X.open key nonce "" (X.seal key nonce "" (B.replicate 2000000 byte)))
    interrupted "a tag" (Poly1305.mac key . B.replicate 3000000)
    interrupted "a key stream" (\byte -> ChaCha20.xor key (ChaCha20.ChaCha20 (B.replicate 12 byte)) 0 text)
    shares <- Shamir.split 2 [1, 2] (B.replicate 1000000 7)
    interrupted "shares" (\point -> Shamir.shareAt (point + 3) shares)
    identity <- Sealane.Age.generateIdentity Sealane.Age.X25519
    let right = either (error . show) id
        recipients = right (Sealane.Age.identityRecipient identity >>= Sealane.Age.recipientsFromText)
        identities = right (Sealane.Age.identitiesFromText identity)
    file <- Sealane.Age.encrypt recipients Sealane.Age.Binary text
    interrupted "a file" (\byte -> Sealane.Age.decrypt identities (file <> B.replicate (if byte == 200 then 1 else 0) byte))
  where
    -- Threads that are killed while they compute a value do not change it.
    interrupted :: (Eq a) => String -> (Word8 -> a) -> IO ()
    interrupted name compute = forM_ [1 .. 60] $ \i -> do
        let value = compute i
        thread <- forkIO (() <$ evaluate value)
        threadDelay (fromIntegral i * 20)
        killThread thread
        result <- try (evaluate value)
        expect ("an interrupted value: " ++ name) (either (const False :: SealaneError -> Bool) (== fresh i) result)
      where
        fresh i = compute (i + opaque)
        -- Hides from GHC that both values are the same.
        opaque = if length name > 1000 then 1 else 0
    -- Long enough for safe calls, so that several threads are in them at once.
    pieceLen = 17000

-- | Runs actions at once, each on a thread of the operating system.
onThreads :: [IO a] -> IO [a]
onThreads actions = do
    start <- newEmptyMVar
    started <- forM (zip [0 ..] actions) $ \(capability, action) -> do
        result <- newEmptyMVar
        _ <- forkOn capability (readMVar start >> action >>= putMVar result)
        pure result
    putMVar start ()
    mapM takeMVar started

-- | Tests the vectors in a file. Returns the numbers of valid and invalid ones.
vectors :: FilePath -> IO (Int, Int)
vectors path = do
    lines' <- map (C.split '\t') . C.lines <$> B.readFile path
    results <- forM lines' $ \line -> case line of
        [name, key, nonce, aad, text, ciphertext, tag, valid] -> do
            let bytes = hex nonce
                aead = if C.unpack name == "chacha20_poly1305" then ietf else extended
                known = fromJust (keyFromBytes (hex key))
                (ad, sealed) = (hex aad, hex ciphertext <> hex tag)
                context = " " ++ C.unpack (C.unwords line)
                isValid = valid == "valid"
            if B.length bytes /= nonceLen aead
                then do
                    expect "only a wrong nonce has a wrong length" (not isValid)
                    expect "its constructor refuses it" . not $
                        if nonceLen aead == 12 then isJust (A.nonceFromBytes bytes) else isJust (X.nonceFromBytes bytes)
                else do
                    let expected = if isValid then Just (hex text) else Nothing
                    expect ("open" ++ context) (open' aead known bytes ad sealed == expected)
                    when isValid $ expect ("seal" ++ context) (seal' aead known bytes ad (hex text) == sealed)
            pure isValid
        _ -> expect "a line with eight fields" False >> pure False
    pure (length (filter id results), length (filter not results))

properties :: [(String, Property)]
properties =
    [ ("ChaCha20-Poly1305", propAead ietf)
    , ("XChaCha20-Poly1305", propAead extended)
    , ("the parts", propParts)
    , ("ChaCha20", propStream)
    , ("Shamir", propShamir)
    ]

main :: IO ()
main = do
    arguments <- getArgs
    let (folder, out, files) = case arguments of
            one : two : rest -> (one, two, rest)
            _ -> error "tests CCTV FOLDER VECTORS…"
    isValid <- Age.cctv folder (out ++ "/cctv") (out ++ "/beginnings")
    putStrLn (show isValid ++ " of 147 vectors for age are valid")
    Age.files out
    Age.littleMemory
    Streams.tests
    Ranges.tests out
    Threshold.tests
    Arguments.tests
    counts <- mapM vectors files
    let (valid, invalid) = (sum (map fst counts), sum (map snd counts))
    putStrLn (show valid ++ " valid and " ++ show invalid ++ " invalid vectors of Wycheproof")
    expect "enough vectors" (valid > 400 && invalid > 100)
    errors
    collector
    sharing
    ok <- forM properties $ \(name, property') -> do
        putStr (name ++ ": ")
        quickCheckResult (withMaxSuccess 300 property')
    unless (all isSuccess ok) exitFailure
    putStrLn "all tests of the Haskell package passed"
