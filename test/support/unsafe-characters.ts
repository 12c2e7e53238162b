/**
 * The characters that must not reach a terminal or a log: control characters except tab and line end, line separators,
 * lone surrogates, bidirectional controls, and characters without width.
 */
export const unsafeCharacters =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u3164]|\p{Cs}/u

/** Those, and the characters that must not be in one line. */
export const unsafeInLine = new RegExp(`[\\t\\n]|${unsafeCharacters.source}`, 'u')

/** A text of a service that attacks a terminal. `\u009b` starts an escape sequence in one character. */
export const hostileText =
  'a\u001b[2J\u0007\u0000\u009b31mb\u0085c\u009d0;title\u009c\u202ed\u2066e\u2069\u061cf\u200e\u200b\ufeffg\u2028h\u007fi 服务器🚀👨\u200d👩e\u0301j'
