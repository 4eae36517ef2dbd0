// System fonts: the site loads no font, neither its own nor another one.
import DefaultTheme from "vitepress/theme-without-fonts";
import "./style.css";

export default DefaultTheme;
