/** Abbreviates the addresses of a text, which would fill a line. */
export const shortAddresses = (text: string): string =>
  text.replace(/(0x[0-9a-f]{4})[0-9a-f]{6,}([0-9a-f]{4})/gi, '$1\u2026$2')
