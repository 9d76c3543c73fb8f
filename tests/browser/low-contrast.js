// Runs in the page: the visible texts whose contrast with what is behind them is below WCAG AA (4.5).
(() => {
  const canvas = document.createElement('canvas');
  canvas.width = 1;
  canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });

  /** Red, green, blue and alpha of any CSS colour. */
  const pixelOf = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const luminanceOf = (colour) => {
    const [red, green, blue] = pixelOf(colour).map((byte) => {
      const part = byte / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backgroundOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (pixelOf(colour)[3] === 255) return colour;
    }
    return 'white';
  };
  const contrastOf = (element) => {
    const [darker, lighter] = [getComputedStyle(element).color, backgroundOf(element)]
      .map(luminanceOf)
      .sort((one, other) => one - other);
    return (lighter + 0.05) / (darker + 0.05);
  };

  const hasText = (element) =>
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
  return [...document.body.querySelectorAll('*')]
    .filter((element) => hasText(element) && element.checkVisibility())
    .map((element) => ({ text: element.textContent, contrast: contrastOf(element) }))
    .filter(({ contrast }) => contrast < 4.5);
})();
