{-# LANGUAGE OverloadedStrings #-}

-- | Tests of age files that several people open together.
module Threshold
    ( tests
    ) where

import Control.Exception (try)
import Control.Monad (forM, forM_)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import Data.List (isInfixOf, subsequences)

import Consume
import Expect
import Sealane.Age
import qualified Sealane.Age.Lazy as Lazy
import Sealane.Age.Threshold
import Sealane.Error (SealaneError (..))

tests :: IO ()
tests = do
    holders <- mapM generateIdentity [X25519, X25519, X25519, X25519]
    stranger <- generateIdentity X25519
    let public = C.unlines (map (right . identityRecipient) holders)
        plain = B.replicate 100000 7
        status = either errorStatus (const 0)
    forM_ [Binary, Armor] $ \form -> do
        file <- encrypt (right (recipientsRequiring 3 "the s\195\164fe" public)) form plain
        -- The header is enough to contribute. The lazily encrypted file has its own header.
        lazily <- L.toStrict <$> Lazy.encrypt (right (recipientsRequiring 3 "" public)) form (L.fromStrict plain)
        parts <- forM holders $ \holder -> case contribute (right (identitiesFromText holder)) (B.take 20000 file) of
            Right [part] -> pure part
            other -> error (show other)
        expect "points" (map partPoint parts == [1 .. 4])
        forM_ parts $ \part -> do
            expect "a label" (partLabel part == "the s\195\164fe")
            expect "numbers" ((partThreshold part, partCount part) == (3, 4))
            -- The header has the id that @sealane inspect@ shows.
            expect "a share set" (B.length (partShareSet part) == 32)
            expect "the share set of the file" (form == Armor || (" 4 " <> C.pack (show (partPoint part)) <> " " <> partShareSet part <> " ") `B.isInfixOf` file)
            expect "the text is not shown" (not (C.unpack (partText part) `isInfixOf` show part))
        expect "one share set for each file" $
            map partShareSet (right (contribute (right (identitiesFromText (head holders))) lazily)) /= [partShareSet (head parts)]
        forM_ (subsequences (zip holders parts)) $ \some -> do
            let texts = map (partText . snd) some
                expected = if length some >= 3 then Right plain else Left 17
                opened = identitiesWithParts "" texts >>= \keys -> decrypt keys file
            expect "parts alone" (null some || either (Left . errorStatus) Right opened == expected)
            case some of
                (own, _) : rest -> do
                    let together = right (identitiesWithParts own (map (partText . snd) rest))
                    expect "a key and parts" (either (Left . errorStatus) Right (decrypt together file) == expected)
                    (content, failed) <- consume (Lazy.decrypt together (L.fromStrict file))
                    expect "lazily" (maybe (Right content) (Left . errorStatus) failed == expected)
                    let other = status (decrypt together lazily)
                    expect ("parts of another file: " ++ show other) (other == if null rest then 17 else 10)
                [] -> pure ()
        expect "keys of all" (decrypt (right (identitiesFromText (C.unlines (take 3 holders)))) lazily == Right plain)
        expect "no share" (contribute (right (identitiesFromText stranger)) file == Right [])
        -- The file may end after the header: the nonce and one chunk follow in the binary form.
        let header = B.take (if form == Binary then B.length file - 16 - (100000 + 2 * 16) else 20000) file
        expect "only a header" (fmap (map partPoint) (contribute (right (identitiesFromText (head holders))) header) == Right [1])
        expect "half a header" (status (contribute (right (identitiesFromText stranger)) (B.take 100 file)) == 16)
    ordinary <- encrypt (right (recipientsFromText public)) Binary plain
    expect "not for several" (contribute (right (identitiesFromText (C.unlines (take 1 holders)))) ordinary == Right [])
    forM_ [-1, 0, 1, 256] $ \threshold ->
        expect "a threshold" (status (recipientsRequiring threshold "" public) == 10)
    forM_ [B.replicate 101 65, "\255", " a", "a\n"] $ \label -> expect "a label" (status (recipientsRequiring 2 label public) == 12)
    expect "no recipients" (status (recipientsRequiring 2 "" "") == 12)
    expect "no part" (status (identitiesWithParts "" ["sealane"]) == 12)
    postQuantum <- generateIdentity MlKem768X25519
    let mixed = public <> right (identityRecipient postQuantum)
        refused = [("recipients of two kinds", 2, mixed, 14), ("too few recipients", 5, public, 10), ("a recipient twice", 2, public <> public, 14)]
    forM_ refused $ \(name, threshold, texts, number) -> do
        let recipients = right (recipientsRequiring threshold "" texts)
        whole <- try (encrypt recipients Binary plain)
        expect name (status whole == number)
        lazy <- try (Lazy.encrypt recipients Binary (L.fromStrict plain))
        expect (name ++ ", lazily") (status lazy == number)
  where
    right = either (error . show) id
