/** The local time of day: `17:02:05`. `at`: ms since the Unix epoch. */
export const clockTime = (at: number): string => {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}
