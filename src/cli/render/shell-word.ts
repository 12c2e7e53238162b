/** A text as one word of a POSIX shell. */
export const shellWord = (text: string): string =>
  /^[\p{L}\p{N}_.:,@%+=/-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
