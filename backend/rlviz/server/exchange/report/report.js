// Plays the film of a run's report. The file that contains it opens from disk and loads nothing.
(() => {
  const cells = JSON.parse(document.getElementById("film").textContent);
  const film = document.getElementById("learned");
  const find = (selector) => film.querySelector(selector);
  const [image, video, when, what] = [".stage img", "video", ".stage .when", ".stage .what"].map(find);
  const [controls, slider, play] = [".controls", "input", ".play"].map(find);
  const buttons = [...film.querySelectorAll("[data-cell]")];
  const graphs = [...film.querySelectorAll("svg[data-start]")];
  const strip = find(".strip");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const [SHORTEST, LONGEST] = [1.2, 4]; // seconds of one moment while the film plays
  const last = cells.length - 1;
  const addresses = new Map();
  let chosen = last;
  let timer = 0;

  const placeOf = (place) => cells[place].share ?? (last ? place / last : 1);

  function addressOf(place) {
    if (!addresses.has(place)) {
      const bytes = Uint8Array.from(atob(cells[place].video), (letter) => letter.charCodeAt(0));
      addresses.set(place, URL.createObjectURL(new Blob([bytes], { type: "video/mp4" })));
    }
    return addresses.get(place);
  }

  function show(place) {
    chosen = place;
    const { title, says, share, video: content } = cells[chosen];
    const still = buttons[chosen].querySelector("img");
    when.textContent = title;
    what.textContent = says;
    slider.value = String(Math.round(1000 * placeOf(chosen)));
    slider.setAttribute("aria-valuetext", `${title}: ${says}`);
    for (const graph of graphs) {
      const { start, stop } = graph.dataset;
      const cursor = graph.querySelector(".cursor");
      const at = Number(start) + (share ?? 0) * (stop - start);
      cursor.setAttribute("transform", `translate(${at} 0)`);
      cursor.style.display = share === null ? "none" : "";
    }
    buttons.forEach((button, index) => button.setAttribute("aria-current", String(index === chosen)));
    const cell = buttons[chosen].parentElement;
    strip.scrollLeft = cell.offsetLeft - strip.offsetLeft - (strip.clientWidth - cell.clientWidth) / 2;
    image.hidden = still.hidden;
    if (!still.hidden) image.src = still.src;
    video.hidden = true; // the still stands there until its first frame does
    video.pause();
    if (content === null) return;
    video.src = addressOf(chosen);
    if (!calm.matches || timer) video.play().catch(() => {});
  }

  video.addEventListener("loadeddata", () => {
    video.hidden = false;
  });
  video.addEventListener("click", () => {
    if (!video.controls) void (video.paused ? video.play() : video.pause());
  });

  function stop() {
    clearTimeout(timer);
    timer = 0;
    play.textContent = "Play";
  }

  function next() {
    const seconds = Math.min(LONGEST, Math.max(SHORTEST, cells[chosen].seconds));
    timer = setTimeout(() => {
      if (chosen === last) return stop();
      next(show(chosen + 1));
    }, 1000 * seconds);
  }

  function choose(place) {
    const wanted = Math.min(last, Math.max(0, place));
    stop();
    if (wanted !== chosen) show(wanted);
  }

  function toggle() {
    if (timer) return stop();
    play.textContent = "Pause";
    timer = -1;
    show(chosen === last ? 0 : chosen);
    next();
  }

  const nearest = (share) =>
    cells.reduce(
      (best, _, place) =>
        Math.abs(placeOf(place) - share) < Math.abs(placeOf(best) - share) ? place : best,
      0,
    );

  play.addEventListener("click", toggle);
  slider.addEventListener("input", () => {
    choose(nearest(slider.value / 1000));
    slider.value = String(Math.round(1000 * placeOf(chosen)));
  });
  buttons.forEach((button, place) => button.addEventListener("click", () => choose(place)));
  for (const graph of graphs) {
    const point = (event) => {
      if (event.type === "pointermove" && event.buttons === 0) return;
      const { left, width } = graph.getBoundingClientRect();
      const at = ((event.clientX - left) / width) * graph.viewBox.baseVal.width;
      const { start, stop: end } = graph.dataset;
      choose(nearest((at - start) / (end - start)));
    };
    graph.addEventListener("pointerdown", point);
    graph.addEventListener("pointermove", point);
  }

  const keys = {
    ArrowLeft: () => choose(chosen - 1),
    ArrowRight: () => choose(chosen + 1),
    ArrowDown: () => choose(chosen - 1),
    ArrowUp: () => choose(chosen + 1),
    Home: () => choose(0),
    End: () => choose(last),
  };
  document.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    const onSlider = event.target === slider;
    const sideways = event.key === "ArrowLeft" || event.key === "ArrowRight";
    const here = event.target === document.body || film.contains(event.target);
    if (!act || !(onSlider || (sideways && here))) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });

  /** Draws a still for each moment that has a video and no picture, one after the other. */
  async function drawStills() {
    for (const [place, button] of buttons.entries()) {
      const still = button.querySelector("img");
      if (!still.hidden || cells[place].video === null) continue;
      const source = Object.assign(document.createElement("video"), { muted: true, preload: "auto" });
      const drawn = await new Promise((resolve) => {
        source.addEventListener("error", () => resolve(null));
        source.addEventListener("loadeddata", () => {
          source.currentTime = 0.65 * source.duration;
        });
        source.addEventListener("seeked", () => {
          const canvas = document.createElement("canvas");
          [canvas.width, canvas.height] = [240, Math.round((240 * source.videoHeight) / source.videoWidth)];
          canvas.getContext("2d").drawImage(source, 0, 0, canvas.width, canvas.height);
          resolve(canvas.toDataURL("image/jpeg", 0.7));
        });
        source.src = addressOf(place);
      });
      if (drawn === null) continue;
      still.src = drawn;
      still.hidden = false;
    }
  }

  video.controls = last === 0;
  controls.hidden = false;
  play.hidden = false;
  film.classList.add("plays");
  show(last);
  void drawStills();
})();
