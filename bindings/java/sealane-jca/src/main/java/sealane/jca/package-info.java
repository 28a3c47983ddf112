/**
 * The provider "Sealane" of the Java Cryptography Architecture. Applications name it in the file
 * {@code java.security} or by {@link java.security.Security#insertProviderAt}, and use the classes
 * of {@code javax.crypto}.
 */
package sealane.jca;
