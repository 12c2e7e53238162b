/** The colours that a person has chosen instead of those of the system, kept by the browser. */
const key = 'svc-streams:theme'

const systemIsDark = matchMedia('(prefers-color-scheme: dark)')

/** The colours of the page; empty: those of the system. */
const chosen = (): string => document.documentElement.style.colorScheme

const show = (theme: string): void => {
  document.documentElement.style.colorScheme = theme
}

export const restoreTheme = (): void => show(stored(() => localStorage.getItem(key)) ?? '')

const systemTheme = (): string => (systemIsDark.matches ? 'dark' : 'light')

/** Changes between dark and light. The colours of the system are followed again when they are chosen. */
export const toggleTheme = (): void => {
  const next = (chosen() || systemTheme()) === 'dark' ? 'light' : 'dark'
  show(next === systemTheme() ? '' : next)
  stored(() => localStorage.setItem(key, chosen()))
}

/** A browser may keep nothing for any page: the result is then `undefined`. */
export const stored = <A>(access: () => A): A | undefined => {
  try {
    return access()
  } catch {
    return undefined
  }
}
