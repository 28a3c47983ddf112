{-# LANGUAGE OverloadedStrings #-}

-- | Tests that arguments are evaluated before calls of the library, which wait for no exception.
module Arguments
    ( tests
    ) where

import Control.Exception
    ( ErrorCall (..)
    , MaskingState (..)
    , evaluate
    , getMaskingState
    , throw
    , try
    )
import Control.Monad.ST (stToIO)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.IORef (newIORef, readIORef, writeIORef)
import Data.Maybe (fromJust)
import System.IO.Unsafe (unsafePerformIO)

import Expect
import Sealane.Age
import qualified Sealane.Age.Lazy as Lazy
import Sealane.Age.Ranges (openWith, readRange)
import Sealane.Age.Threshold
import qualified Sealane.ChaCha20 as ChaCha20
import Sealane.Error (SealaneError (..))
import Sealane.Key
import qualified Sealane.Poly1305 as Poly1305
import qualified Sealane.Shamir as Shamir
import qualified Sealane.XChaCha20Poly1305 as X

tests :: IO ()
tests = do
    messages
    primitives
    ages
    thrown

-- | Checks that a function evaluates an argument while exceptions from other threads arrive.
interruptible :: String -> a -> (a -> IO b) -> IO ()
interruptible name value use = do
    found <- newIORef []
    _ <- use . unsafePerformIO $ do
        state <- getMaskingState
        writeIORef found [state]
        pure value
    states <- readIORef found
    expect ("the argument " ++ name ++ " is evaluated first: " ++ show states) (states == [Unmasked])

messages :: IO ()
messages = do
    key <- generateKey
    nonce <- X.generateNonce
    let sealed = X.seal key nonce "aad" "text"
        (ciphertext, tag) = B.splitAt 4 sealed
    interruptible "key of seal" key (\it -> evaluate (X.seal it nonce "" ""))
    interruptible "nonce of seal" nonce (\it -> evaluate (X.seal key it "" ""))
    interruptible "aad of seal" "aad" (\it -> evaluate (X.seal key nonce it ""))
    interruptible "text of seal" "text" (evaluate . X.seal key nonce "")
    interruptible "key of open" key (\it -> evaluate (X.open it nonce "aad" sealed))
    interruptible "nonce of open" nonce (\it -> evaluate (X.open key it "aad" sealed))
    interruptible "aad of open" "aad" (\it -> evaluate (X.open key nonce it sealed))
    interruptible "message of open" sealed (evaluate . X.open key nonce "aad")
    interruptible "key of newSealer" key (\it -> stToIO (X.newSealer it nonce ""))
    interruptible "nonce of newSealer" nonce (\it -> stToIO (X.newSealer key it ""))
    interruptible "aad of newSealer" "aad" (stToIO . X.newSealer key nonce)
    sealer <- stToIO (X.newSealer key nonce "aad")
    interruptible "piece of sealPiece" "text" (stToIO . X.sealPiece sealer)
    interruptible "sealer of sealPiece" sealer (\it -> stToIO (X.sealPiece it "text"))
    interruptible "sealer of finishSealer" sealer (stToIO . X.finishSealer)
    interruptible "key of newOpener" key (\it -> stToIO (X.newOpener it nonce ""))
    interruptible "nonce of newOpener" nonce (\it -> stToIO (X.newOpener key it ""))
    interruptible "aad of newOpener" "aad" (stToIO . X.newOpener key nonce)
    opener <- stToIO (X.newOpener key nonce "aad")
    interruptible "piece of authenticatePiece" ciphertext (stToIO . X.authenticatePiece opener)
    interruptible "tag of verifyTag" tag (stToIO . X.verifyTag opener)
    interruptible "piece of decryptPiece" ciphertext (stToIO . X.decryptPiece opener)
    other <- stToIO (X.newOpener key nonce "aad")
    interruptible "opener of authenticatePiece" other (\it -> stToIO (X.authenticatePiece it ciphertext))
    interruptible "opener of verifyTag" other (\it -> stToIO (X.verifyTag it tag))
    interruptible "opener of decryptPiece" other (\it -> stToIO (X.decryptPiece it ciphertext))

primitives :: IO ()
primitives = do
    key <- generateKey
    let tag = Poly1305.mac key "text"
        nonce = B.replicate 12 0
        share = Shamir.Share 1 "a"
    interruptible "key of xor" key (\it -> evaluate (ChaCha20.xor it (ChaCha20.ChaCha20 nonce) 0 ""))
    interruptible "nonce of xor" nonce (\it -> evaluate (ChaCha20.xor key (ChaCha20.ChaCha20 it) 0 ""))
    interruptible "block of xor" 0 (\it -> evaluate (ChaCha20.xor key (ChaCha20.ChaCha20 nonce) it ""))
    interruptible "text of xor" "text" (evaluate . ChaCha20.xor key (ChaCha20.ChaCha20 nonce) 0)
    interruptible "text of mac" "text" (evaluate . Poly1305.tagToBytes . Poly1305.mac key)
    interruptible "key of verify" key (\it -> evaluate (Poly1305.verify it "text" tag))
    interruptible "text of verify" "text" (\it -> evaluate (Poly1305.verify key it tag))
    interruptible "tag of verify" tag (evaluate . Poly1305.verify key "text")
    interruptible "bytes of keyFromBytes" (B.replicate 32 0) (evaluate . fromJust . keyFromBytes)
    interruptible "length of generateBytes" 5 generateBytes
    interruptible "a point of split" 2 (\it -> Shamir.split 1 [1, it] "secret")
    interruptible "secret of split" "secret" (Shamir.split 1 [1, 2])
    interruptible "a share of combine" share (\it -> evaluate (Shamir.combine [it]))
    interruptible "point of shareAt" 3 (\it -> evaluate (Shamir.shareBytes (fromJust (Shamir.shareAt it [share]))))

ages :: IO ()
ages = do
    text <- generateIdentity X25519
    let public = right (identityRecipient text)
        recipients = right (recipientsFromText public)
        identities = right (identitiesFromText text)
        made = evaluate . right
    file <- encrypt recipients Binary "text"
    interruptible "kind of generateIdentity" X25519 generateIdentity
    interruptible "text of identityRecipient" text (made . identityRecipient)
    interruptible "text of recipientsFromText" public (made . recipientsFromText)
    interruptible "text of identitiesFromText" text (made . identitiesFromText)
    interruptible "passphrase of recipients" "x" (made . recipientsFromPassphrase)
    interruptible "passphrase of identities" "x" (made . identitiesFromPassphrase)
    interruptible "threshold" 2 (\it -> made (recipientsRequiring it "" public))
    interruptible "label" "label" (\it -> made (recipientsRequiring 2 it public))
    interruptible "recipients of a threshold" public (made . recipientsRequiring 2 "")
    interruptible "text of identitiesWithParts" text (\it -> made (identitiesWithParts it []))
    interruptible "a part" "x" (\it -> evaluate (identitiesWithParts text [it]))
    interruptible "file of contribute" file (made . contribute identities)
    interruptible "recipients of encrypt" recipients (\it -> encrypt it Binary "")
    interruptible "format of encrypt" Binary (\it -> encrypt recipients it "")
    interruptible "content of encrypt" "" (encrypt recipients Binary)
    interruptible "identities of decrypt" identities (\it -> made (decrypt it file))
    interruptible "file of decrypt" file (made . decrypt identities)
    interruptible "format of a lazy file" Binary (\it -> Lazy.encrypt recipients it "")
    ranges <- openWith identities (fromIntegral (B.length file)) (\at len -> pure (B.take len (B.drop (fromIntegral at) file)))
    interruptible "offset of readRange" 1 (\it -> readRange ranges it 1)
    interruptible "length of readRange" 1 (readRange ranges 0)
  where
    right = either (error . show) id

-- | Arguments that throw are no errors of the library, and do no harm to a message in pieces.
thrown :: IO ()
thrown = do
    key <- generateKey
    nonce <- X.generateNonce
    let wrong = throw (ErrorCall "argument") :: ByteString
        own = throw SealaneError{errorStatus = 1, errorText = "argument", errorChunk = Nothing} :: ByteString
        isOwn (SealaneError _ text _) = text == "argument"
        escapes name result = try (evaluate result) >>= expect name . either isOwn (const False)
    escapes "an argument that throws" (either (const ()) (const ()) (identitiesFromText own))
    escapes "a recipient that throws" (either (const ()) (const ()) (identityRecipient own))
    sealer <- stToIO (X.newSealer key nonce "")
    refused <- try (stToIO (X.sealPiece sealer wrong))
    expect "a piece that throws" (either (\(ErrorCall text) -> text == "argument") (const False) refused)
    text <- stToIO (X.sealPiece sealer "text")
    tag <- stToIO (X.finishSealer sealer)
    expect "the message without the piece" (text <> tag == X.seal key nonce "" "text")
    opener <- stToIO (X.newOpener key nonce "")
    unread <- try (stToIO (X.authenticatePiece opener wrong))
    expect "a ciphertext that throws" (either (\(ErrorCall name) -> name == "argument") (const False) unread)
    stToIO (X.authenticatePiece opener text)
    isAuthentic <- stToIO (X.verifyTag opener tag)
    expect "the ciphertext without the piece" isAuthentic
    hidden <- try (stToIO (X.decryptPiece opener wrong))
    expect "a text that throws" (either (\(ErrorCall name) -> name == "argument") (const False) hidden)
    plain <- stToIO (X.decryptPiece opener text)
    expect "the text" (plain == "text")
