"""The exceptions of the package. The native part raises them too."""


class SealaneError(Exception):
    """The base of all exceptions of this package."""


class InvalidTag(SealaneError):
    """A message is not authentic.

    The message, its associated data, its nonce or its tag was changed, or the key is wrong. These
    cases cannot be told apart.
    """


class AgeError(SealaneError):
    """The base of the exceptions of ``sealane.age``."""


class KeyFormatError(AgeError, ValueError):
    """A text or a file is not a key of the expected kind.

    The error message never shows the text.
    """


class EncryptError(AgeError):
    """A file cannot be encrypted to these recipients."""


class DecryptError(AgeError):
    """A file cannot be opened."""


class HeaderError(DecryptError):
    """The file is not an age file, or its header is malformed or was changed."""


class ArmorError(DecryptError):
    """The armor of a file is malformed."""


class NoMatchError(DecryptError):
    """The file is not encrypted to any of the identities."""


class WrongPassphraseError(DecryptError):
    """The passphrase is wrong."""


class ExcessiveWorkError(DecryptError):
    """The file asks for more scrypt work than is allowed."""


class ThresholdError(DecryptError):
    """Too few of a file's holders are available, or a part, a threshold or a label is wrong."""


class IdentityError(DecryptError):
    """An identity or a recipient cannot be used.

    For example, the identity is encrypted, or the plugin is missing.
    """


class PayloadError(DecryptError):
    """The file is damaged, cut short or too long.

    Everything that was read before the error is authentic.
    """


class SharesError(SealaneError):
    """A secret cannot be split, or shares do not restore one."""


class SharesWarning(UserWarning):
    """A secret was restored, but a share is forged and was left out. The message has its position."""
