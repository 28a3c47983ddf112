{-# LANGUAGE ScopedTypeVariables #-}

-- | Compares the module with crypton's interface with crypton, or with cryptonite, which has most
-- of it.
module Main (main) where

import Control.Monad (forM_, unless)
import qualified Crypto.Cipher.ChaChaPoly1305 as Theirs
import Crypto.Cipher.Types (AuthTag (..), aeadSimpleDecrypt, aeadSimpleEncrypt)
import Crypto.Error (CryptoFailable (..))
import Data.Bits (shiftL, xor)
import Data.ByteArray (ByteArray, Bytes, ScrubbedBytes, convert)
import qualified Data.ByteArray as ByteArray
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Proxy (Proxy (..))
import qualified Sealane.ChaCha20Poly1305 as Whole
import qualified Sealane.Crypton as Ours
import Sealane.Key (keyFromBytes)
import qualified Sealane.XChaCha20Poly1305 as WholeX
import System.Exit (exitFailure)
import Test.QuickCheck

import Expect

passed :: CryptoFailable a -> a
passed (CryptoPassed a) = a
passed (CryptoFailed e) = error (show e)

refused :: CryptoFailable a -> Maybe String
refused (CryptoFailed e) = Just (show e)
refused (CryptoPassed _) = Nothing

bytes :: Int -> Gen ByteString
bytes len = B.pack <$> vector len

-- | A text, which is sometimes long enough for safe calls.
text :: Gen ByteString
text = frequency [(1, pure 0), (8, chooseInt (1, 600)), (1, chooseInt (16380, 40000))] >>= bytes

-- | Cuts bytes at random positions, also into empty pieces.
cut :: ByteArray ba => ByteString -> Gen [ba]
cut whole
    | B.null whole = elements [[], [ByteArray.empty]]
    | otherwise = do
        len <- frequency [(1, pure 0), (8, chooseInt (1, 130)), (2, chooseInt (1, B.length whole))]
        (convert (B.take len whole) :) <$> cut (B.drop len whole)

-- | Returns the text of all pieces, and the final state.
walk :: ByteArray ba => (ba -> s -> (ba, s)) -> [ba] -> s -> (ByteString, s)
walk step = go []
  where
    go texts [] state = (B.concat (reverse texts), state)
    go texts (piece : rest) state = let (out, next) = step piece state in go (convert out : texts) rest next

-- | Changes one bit, if there is one.
forge :: ByteString -> Gen ByteString
forge whole = do
    place <- chooseInt (0, B.length whole - 1)
    bit <- chooseInt (0, 7)
    let (before, rest) = B.splitAt place whole
    pure (before <> B.cons (B.head rest `xor` (1 `shiftL` bit)) (B.tail rest))

named :: Testable prop => String -> prop -> Property
named = counterexample

-- | Both libraries give the same results, even if messages are cut at different positions.
same :: forall ba. ByteArray ba => Proxy ba -> Property
same _ = property $ do
    (key, nonce, aad, plain) <- (,,,) <$> bytes 32 <*> bytes 12 <*> text <*> text
    let begin = foldl (flip Ours.appendAAD) (passed (Ours.initialize (convert key :: ba) (passed (Ours.nonce12 (convert nonce :: ba)))))
        begin' = foldl (flip Theirs.appendAAD) (passed (Theirs.initialize (convert key :: ba) (passed (Theirs.nonce12 (convert nonce :: ba)))))
    ours <- Ours.finalizeAAD . begin <$> (cut aad :: Gen [ba])
    theirs <- Theirs.finalizeAAD . begin' <$> (cut aad :: Gen [ba])
    (sealed, end) <- (\parts -> walk Ours.encrypt (parts :: [ba]) ours) <$> cut plain
    (sealed', end') <- (\parts -> walk Theirs.encrypt (parts :: [ba]) theirs) <$> cut plain
    -- Earlier states can be used again.
    (opened, endOpened) <- (\parts -> walk Ours.decrypt (parts :: [ba]) ours) <$> cut sealed
    (opened', endOpened') <- (\parts -> walk Theirs.decrypt (parts :: [ba]) theirs) <$> cut sealed
    forged <- if B.null sealed then pure (B.singleton 0) else forge sealed
    (wrong, endWrong) <- (\parts -> walk Ours.decrypt (parts :: [ba]) ours) <$> cut forged
    (wrong', endWrong') <- (\parts -> walk Theirs.decrypt (parts :: [ba]) theirs) <$> cut forged
    let tag = convert (Ours.finalize end) :: ByteString
        whole = Whole.seal <$> keyFromBytes key <*> Whole.nonceFromBytes nonce <*> pure aad <*> pure plain
    pure $
        conjoin
            [ named "encrypted" (sealed === sealed')
            , named "tag" (Ours.finalize end == Theirs.finalize end')
            , named "decrypted" (opened === plain)
            , named "decrypted by the other" (opened' === plain)
            , named "tag of the decrypted text" (Ours.finalize endOpened == Ours.finalize end)
            , named "tag of the text that the other decrypted" (Theirs.finalize endOpened' == Ours.finalize end)
            , named "whole message" (whole === Just (sealed <> tag))
            , named "forged text" (wrong === wrong')
            , named "tag of the forged text" (Ours.finalize endWrong == Theirs.finalize endWrong')
            , named "a forged text is noticed" (Ours.finalize endWrong /= Ours.finalize end)
            ]

-- | The functions of "Crypto.Cipher.Types" open what they sealed, and nothing else.
aeads :: forall ba. ByteArray ba => Proxy ba -> Property
aeads _ = property $ do
    (key, nonce, aad, plain) <- (,,,) <$> bytes 32 <*> bytes 12 <*> text <*> text
    let start = passed (Ours.aeadChacha20poly1305Init (convert key :: ba) (convert nonce :: ba))
        (AuthTag tag, sealed) = aeadSimpleEncrypt start (convert aad :: ba) (convert plain :: ba) 16
        open :: ByteString -> ByteString -> ByteString -> Maybe ByteString
        open aad' sealed' tag' = convert <$> aeadSimpleDecrypt start aad' (convert sealed' :: ba) (AuthTag (convert tag'))
        whole = Whole.seal <$> keyFromBytes key <*> Whole.nonceFromBytes nonce <*> pure aad <*> pure plain
        ciphertext = convert sealed :: ByteString
    forgedTag <- forge (convert tag)
    forgedText <- if B.null ciphertext then pure (B.singleton 0) else forge ciphertext
    pure $
        conjoin
            [ named "sealed" (whole === Just (ciphertext <> convert tag))
            , named "opened" (open aad ciphertext (convert tag) === Just plain)
            , named "forged tag" (open aad ciphertext forgedTag === Nothing)
            , named "short tag" (open aad ciphertext (B.take 15 (convert tag)) === Nothing)
            , named "forged text" (open aad forgedText (convert tag) === Nothing)
            , named "forged associated data" (open (B.snoc aad 0) ciphertext (convert tag) === Nothing)
            ]

-- | XChaCha20-Poly1305, which cryptonite does not have, gives the same as for whole messages.
extended :: Property
extended = property $ do
    (key, nonce, aad, plain) <- (,,,) <$> bytes 32 <*> bytes 24 <*> text <*> text
    let xnonce = passed (Ours.nonce24 nonce)
        start = Ours.finalizeAAD (Ours.appendAAD aad (passed (Ours.initializeX key xnonce)))
        whole = WholeX.seal <$> keyFromBytes key <*> WholeX.nonceFromBytes nonce <*> pure aad <*> pure plain
    (sealed, end) <- (\parts -> walk Ours.encrypt (parts :: [ByteString]) start) <$> cut plain
    (opened, _) <- (\parts -> walk Ours.decrypt (parts :: [Bytes]) start) <$> cut sealed
    pure $
        conjoin
            [ named "bytes of the nonce" (convert xnonce === nonce)
            , named "whole message" (whole === Just (sealed <> convert (Ours.finalize end)))
            , named "decrypted" (opened === plain)
            ]

increments :: Property
increments = forAll ((,) <$> bytes 4 <*> counter) $ \(constant, iv) ->
    conjoin
        [ named "nonce8" (convert (Ours.incrementNonce (passed (Ours.nonce8 constant iv))) === nonceOf (Theirs.incrementNonce (passed (Theirs.nonce8 constant iv))))
        , named "nonce12" (convert (Ours.incrementNonce (passed (Ours.nonce12 (constant <> iv)))) === nonceOf (Theirs.incrementNonce (passed (Theirs.nonce12 (constant <> iv)))))
        ]
  where
    nonceOf nonce = convert nonce :: ByteString
    -- Often with a carry. Crypton writes past the end of its nonce if all eight bytes are 255.
    counter = (\carries rest -> B.take 7 (B.replicate carries 255 <> rest) <> B.singleton 7) <$> chooseInt (0, 7) <*> bytes 7

main :: IO ()
main = do
    forM_ [0, 8, 11, 13, 24] $ \len ->
        expect ("nonce12 of " ++ show len) (refused (Ours.nonce12 (zeros len)) == refused (Theirs.nonce12 (zeros len)))
    forM_ [(3, 8), (4, 7), (8, 4), (0, 12)] $ \(a, b) ->
        expect ("nonce8 of " ++ show (a, b)) (refused (Ours.nonce8 (zeros a) (zeros b)) == refused (Theirs.nonce8 (zeros a) (zeros b)))
    forM_ [0, 12, 23, 25] $ \len ->
        expect ("nonce24 of " ++ show len) (refused (Ours.nonce24 (zeros len)) == refused (Theirs.nonce12 (zeros 11)))
    let nonce = passed (Ours.nonce12 (zeros 12))
    forM_ [0, 16, 31, 33] $ \len -> do
        let theirs = refused (Theirs.initialize (zeros len) (passed (Theirs.nonce12 (zeros 12))))
        expect ("key of " ++ show len) (refused (Ours.initialize (zeros len) nonce) == theirs)
        expect ("extended key of " ++ show len) (refused (Ours.initializeX (zeros len) (passed (Ours.nonce24 (zeros 24)))) == theirs)
        expect ("AEAD key of " ++ show len) (refused (Ours.aeadChacha20poly1305Init (zeros len) (zeros 12)) == theirs)
    -- A carry runs through the bytes that may change, but no further.
    expect "the greatest nonce" (Ours.incrementNonce (passed (Ours.nonce8 (B.replicate 4 9) (B.replicate 8 255))) == passed (Ours.nonce8 (B.replicate 4 9) (zeros 8)))
    run "same, ByteString" (same (Proxy :: Proxy ByteString))
    run "same, Bytes" (same (Proxy :: Proxy Bytes))
    run "same, ScrubbedBytes" (same (Proxy :: Proxy ScrubbedBytes))
    run "AEAD, ByteString" (aeads (Proxy :: Proxy ByteString))
    run "AEAD, ScrubbedBytes" (aeads (Proxy :: Proxy ScrubbedBytes))
    run "XChaCha20-Poly1305" extended
    run "increments" increments
  where
    zeros len = B.replicate len 0
    run name prop = do
        result <- quickCheckWithResult stdArgs{maxSuccess = 200} prop
        unless (isSuccess result) (putStrLn ("FAILED: " ++ name) >> exitFailure)
