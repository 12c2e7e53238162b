/** The colours that a person has chosen instead of those of the system, kept by the browser; empty: those of the system. */
const key = 'svc-streams:theme'

const systemIsDark = matchMedia('(prefers-color-scheme: dark)')

const { style } = document.documentElement

export const restoreTheme = (): void => {
  style.colorScheme = stored(() => localStorage.getItem(key)) ?? ''
}

/** Changes between dark and light. The colours of the system are followed again when they are chosen. */
export const toggleTheme = (): void => {
  const system = systemIsDark.matches ? 'dark' : 'light'
  const next = (style.colorScheme || system) === 'dark' ? 'light' : 'dark'
  style.colorScheme = next === system ? '' : next
  stored(() => localStorage.setItem(key, style.colorScheme))
}

/** A browser may keep nothing for any page: the result is then `undefined`. */
export const stored = <A>(access: () => A): A | undefined => {
  try {
    return access()
  } catch {
    return undefined
  }
}
