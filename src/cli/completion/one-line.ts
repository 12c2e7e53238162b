/** A description as one line without control characters. */
export const oneLine = (description: string): string => description.replace(/\s+/g, ' ').trim()
