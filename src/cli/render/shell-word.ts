/** A text as one word of a POSIX shell. */
export const shellWord = (text: string): string =>
  /^[\p{L}\p{N}_.:,@%+=/-]+$/u.test(text) ? text : quotedWord(text)

/** A text in the quotation marks of a POSIX shell, or of zsh. */
export const quotedWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
