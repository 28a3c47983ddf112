-- | Does not compile: a sealer would leave its thread of 'ST'.
module Roles
    ( leaked
    ) where

import Control.Monad.ST (runST)
import Data.Coerce (coerce)
import Sealane.ChaCha20Poly1305 (Nonce, Sealer, newSealer)
import Sealane.Key (Key)

leaked :: Key -> Nonce -> Sealer ()
leaked key nonce = runST (coerce <$> newSealer key nonce mempty)
