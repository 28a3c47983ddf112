/**
 * Files in the age format, version 1 (age-encryption.org/v1).
 *
 * <p>{@link sealane.age.AgeOutputStream} encrypts, {@link sealane.age.AgeInputStream} decrypts, and
 * {@link sealane.age.AgeChannel} reads at any position. {@link sealane.age.AgeRecipients} and
 * {@link sealane.age.AgeIdentities} hold keys, and {@link sealane.age.AgeKeyPair} generates them.
 * {@link sealane.age.AgeKey} opens single chunks, for readers that locate the chunks themselves.
 */
package sealane.age;
