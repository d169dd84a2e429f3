// Search on pages that were opened from a disk.
//
// The site's search runs in a Worker, which browsers refuse to such pages.
// This one runs the same script in a hidden frame: slower to start, and it needs no server.
if (location.protocol === "file:") {
  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "Search";
      document.documentElement.append(frame);
      this.inside = frame.contentWindow;
      // Inside a worker `postMessage` answers its owner; inside a frame it would talk to the frame itself.
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.inside.importScripts = (...urls) => urls.reduce((done, next) => done.then(() => this.load(next)), Promise.resolve());
      this.ready = this.load(url);
    }

    load(url) {
      return new Promise((resolve, reject) => {
        const script = this.inside.document.createElement("script");
        script.src = url;
        script.onload = resolve;
        script.onerror = () => reject(new Error(`cannot load ${url}`));
        this.inside.document.head.append(script);
      });
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data })));
    }

    terminate() {
      this.inside.frameElement.remove();
    }
  }
  // The search script looks for the second name to find its own folder.
  window.Worker = FrameWorker;
  window.IFrameWorker = FrameWorker;
}
