// The browser's microphone as 16-bit samples at 16 kHz.

const RATE = 16000;
const DEAF = 2000; // ms without any sound until it is said

export class Microphone {
  constructor(heard) {
    this.heard = heard; // called with each Int16Array
    this.onlevel = () => {}; // called with the level in [0, 1]
    this.ondeaf = () => {}; // called with true if it is open and nothing comes, with false when something does
    this.isDeaf = false;
    this.context = null;
    this.listens = false;
  }

  // Ask for the microphone once. Returns the name of a text that says why there is none, or ''.
  async start() {
    if (this.context) return '';
    if (!navigator.mediaDevices) return 'insecure'; // browsers give it to https and to this computer alone
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({audio: {channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true}});
    } catch (error) {
      return error.name === 'NotAllowedError' ? 'refused' : 'none_there';
    }
    const context = new AudioContext({sampleRate: RATE}); // the browser resamples
    await context.audioWorklet.addModule('worklet.js');
    const node = new AudioWorkletNode(context, 'samples', {numberOfOutputs: 0});
    node.port.onmessage = event => this.take(event.data);
    context.createMediaStreamSource(stream).connect(node);
    Object.assign(this, {context, stream, node});
    return '';
  }

  take(samples) {
    let peak = 0;
    for (const each of samples) peak = Math.max(peak, Math.abs(each));
    if (peak > 0) this.hears(true);
    this.onlevel(this.listens ? Math.min(1, Math.sqrt(peak / 32768)) : 0);
    if (this.listens) this.heard(samples);
  }

  open() {
    this.listens = true;
    this.context?.resume();
    this.deaf = setTimeout(() => this.hears(false), DEAF);
  }

  hears(sound) {
    clearTimeout(this.deaf);
    if (this.isDeaf === !sound) return;
    this.isDeaf = !sound;
    this.ondeaf(this.isDeaf);
  }

  // Hear nothing more; what was said until now still comes.
  async mute() {
    clearTimeout(this.deaf);
    this.isDeaf = false;
    if (this.listens) await new Promise(resolve => setTimeout(resolve, 60));
    this.listens = false;
    this.onlevel(0);
  }

  close() {
    clearTimeout(this.deaf);
    this.listens = false;
    this.stream?.getTracks().forEach(track => track.stop());
    this.context?.close();
    this.context = null;
  }
}
