/** A text as one line that a terminal only shows: no control character of a foreign text reaches it. */
export const printable = (text: string): string => text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
