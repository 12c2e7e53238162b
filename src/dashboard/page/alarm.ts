// A sound and a notification of the system. Both need the permission of the browser.

/** Frequency in Hz, loudness from 0 to 1, and duration in s. */
const [frequency, loudness, duration] = [880, 0.2, 0.3]

let audio: AudioContext | undefined

/** A browser is silent until somebody has used the page. */
export const playSound = (): void => {
  audio ??= new AudioContext()
  void audio.resume()
  const [oscillator, gain] = [audio.createOscillator(), audio.createGain()]
  const end = audio.currentTime + duration
  oscillator.frequency.value = frequency
  gain.gain.setValueAtTime(loudness, audio.currentTime)
  gain.gain.linearRampToValueAtTime(0, end)
  oscillator.connect(gain).connect(audio.destination)
  oscillator.start()
  oscillator.stop(end)
}

/** Returns false if the browser, or the person, does not allow notifications. */
export const requestNotifications = async (): Promise<boolean> =>
  'Notification' in globalThis && (await Notification.requestPermission()) === 'granted'

/** Shows a notification; nothing if it is no longer allowed. One with the same `tag` is replaced. */
export const notify = (text: string, tag: string): void => {
  try {
    new Notification(text, { tag })
  } catch {
    // Some browsers on phones have none for pages.
  }
}
