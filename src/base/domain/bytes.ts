/** The text of bytes whose values are code points, as in ISO 8859-1. */
export const latin1Of = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}

/** The bytes of a text without characters above U+00FF. */
export const latin1Bytes = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0))

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Base64 in the standard alphabet, padded. */
export const base64Of = (bytes: Uint8Array): string => btoa(latin1Of(bytes))

/** The bytes of valid base64, in the standard or the url-safe alphabet, padded or not. */
export const base64Bytes = (base64: string): Uint8Array =>
  latin1Bytes(atob(base64.replaceAll('-', '+').replaceAll('_', '/')))
