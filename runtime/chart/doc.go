// Package chart draws what a table's signals show: a heat map of products by
// dates, what is due, and how the buckets run. The drawings are one HTML file that
// needs no network, and an SVG; both are the same for the same data.
package chart
